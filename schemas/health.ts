import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** Answer of `GET /api/v1/health` of every service. */
export const healthSchema = lazySchema(() =>
  z
    .object({ status: z.enum(["ok", "degraded"]), version: z.string() })
    .meta({ id: "Health", examples: [{ status: "ok", version: "0.1.0" }] }),
);

/** The version that health and the API documents name. */
export const version = "0.1.0";

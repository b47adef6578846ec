import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** Response of `GET /api/v1/health` in every service. */
export const healthSchema = lazySchema(() =>
  z
    .object({ status: z.enum(["ok", "degraded"]), version: z.string() })
    .meta({ id: "Health", examples: [{ status: "ok", version: "0.1.0" }] }),
);

/** The version in health responses and API documents. */
export const version = "0.1.0";

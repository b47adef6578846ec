import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** Bytes, for the OpenAPI document. */
export const bytesSchema = lazySchema(() => z.string().meta({ format: "binary", examples: ["hello"] }));

import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** A binary body in the OpenAPI document. */
export const bytesSchema = lazySchema(() => z.string().meta({ format: "binary", examples: ["hello"] }));

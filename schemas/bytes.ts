import * as z from "zod";
import { lazySchema } from "./lazy-schema";

/** A binary body in the OpenAPI document. */
export const bytesSchema = lazySchema(() => z.string().meta({ format: "binary", examples: ["hello"] }));

/** A form with a file in the OpenAPI document. */
export const fileFormSchema = lazySchema(() =>
  z.looseObject({ file: z.string().meta({ format: "binary" }) }).meta({ examples: [{ file: "hello" }] }),
);

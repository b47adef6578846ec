import * as z from "zod";
import { lineSchema } from "../../text/text";

/** Subject or preheader of a mail: one line, "" too. */
export const mailLine = () => lineSchema(255, { blank: true });

const description = "a document of the editor; `field_errors.document` says what is wrong with one";
const block = { type: "object", properties: { type: { type: "string" } }, required: ["type"] };
const root = {
  properties: { type: { type: "string", enum: ["doc"] }, content: { type: "array", items: block } },
  required: ["type", "content"],
};

/** A document as it comes, which is judged as a whole; null: there is none. */
export const documentInput = () =>
  z
    .unknown()
    .optional()
    .meta({ type: ["object", "null"], description, ...root });

/** A document as it is kept. */
export const documentSchema = () =>
  z.looseObject({ type: z.literal("doc"), content: z.array(z.looseObject({ type: z.string() })) });

/** A short document, for examples. */
export const exampleDocument = {
  type: "doc" as const,
  content: [{ type: "paragraph", content: [{ type: "text", text: "Hello from {{ company_name }}" }] }],
};

/** A variable of a document. */
export const variableSchema = () =>
  z.object({
    token: z.string(),
    type: z.enum(["string", "url"]),
    required: z.boolean(),
    description: z.string(),
    example: z.string(),
    is_url: z.boolean(),
  });

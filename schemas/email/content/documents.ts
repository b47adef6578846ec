import * as z from "zod";
import { lineSchema } from "../../text/text";

/** The subject or preheader of a mail: one line or "". */
export const mailLine = () => lineSchema(255, { blank: true });

const description = "an editor document; `field_errors.document` lists the errors of an invalid one";
const block = { type: "object", properties: { type: { type: "string" } }, required: ["type"] };
const root = {
  properties: { type: { type: "string", enum: ["doc"] }, content: { type: "array", items: block } },
  required: ["type", "content"],
};

/** A document in a request, or null. The handler validates the whole document. */
export const documentInput = () =>
  z
    .unknown()
    .optional()
    .meta({ type: ["object", "null"], description, ...root });

/** A stored document. */
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

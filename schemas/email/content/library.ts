import * as z from "zod";
import { lazySchema } from "../../lazy-schema";
import { lineSchema } from "../../text/text";
import { documentInput, documentSchema, exampleDocument, mailLine, variableSchema } from "./documents";

/** Maximum number of library templates that a company can create. */
export const MAX_OWN_TEMPLATES = 200;

const fields = () => ({
  name: lineSchema(120).optional(),
  subject: mailLine().optional(),
  preheader: mailLine().optional(),
  document: documentInput(),
});
const input = { name: "Our news", subject: "News", preheader: "What we made", document: exampleDocument };

/** Body of a request that changes a library template. Missing fields keep their values. */
export const libraryChangeSchema = lazySchema(() => z.object(fields()).meta({ examples: [input] }));

/** Body of a new library template. `source_id` is the template that supplies the missing fields. */
export const libraryInputSchema = lazySchema(() =>
  z
    .object({
      company_id: z.int("invalid").min(1, "invalid").nullish(),
      ...fields(),
      source_id: z.int("invalid").min(1, "invalid").nullish(),
    })
    .meta({ examples: [input, { source_id: 3 }] }),
);

const summary = () => ({
  id: z.int(),
  key: z.string(),
  set: z.string(),
  name: z.string(),
  built_in: z.boolean(),
  company_id: z.int().nullable(),
  subject: z.string(),
  preheader: z.string(),
  updated_at: z.iso.datetime(),
});
const example = {
  id: 12,
  key: "barebone.welcome",
  set: "barebone",
  name: "Welcome",
  built_in: true,
  company_id: null,
  subject: "Welcome",
  preheader: "A first look around",
  updated_at: "2026-01-31T09:30:00.000Z",
};

/** A library template in a list. `html` is omitted when the request asks for summaries. */
export const libraryItemSchema = lazySchema(() => z.object({ ...summary(), html: z.string().optional() }));
export type LibraryItem = z.output<typeof libraryItemSchema>;

/** Response of `GET /api/v1/library`. */
export const libraryListSchema = lazySchema(() =>
  z
    .object({
      sets: z.array(z.object({ key: z.string(), name: z.string() })),
      templates: z.array(libraryItemSchema.unwrap()),
      next_cursor: z.string().nullable(),
    })
    .meta({
      examples: [
        {
          sets: [{ key: "barebone", name: "Barebone" }],
          templates: [{ ...example, html: "<!doctype html>…" }],
          next_cursor: null,
        },
      ],
    }),
);

/** A library template with all fields. */
export const libraryTemplateSchema = lazySchema(() =>
  z
    .object({
      ...summary(),
      html: z.string(),
      text: z.string(),
      document: documentSchema(),
      head: z.string(),
      variables: z.array(variableSchema()),
    })
    .meta({
      id: "LibraryTemplate",
      examples: [
        {
          ...example,
          html: "<!doctype html>…",
          text: "Hello from {{ company_name }}",
          document: exampleDocument,
          head: "",
          variables: [
            {
              token: "company_name",
              type: "string",
              required: false,
              description: "email.var.company_name",
              example: "Aster Labs",
              is_url: false,
            },
          ],
        },
      ],
    }),
);
export type PublicLibraryTemplate = z.output<typeof libraryTemplateSchema>;

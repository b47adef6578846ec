import * as z from "zod";
import { bytesSchema, fileFormSchema } from "../../../../schemas/bytes";
import { type ErrorTable, problemSchema } from "../../../../schemas/errors";
import type { LazySchema } from "../../../../schemas/lazy-schema";
import { Problem, presentProblem } from "../../problem";

type Headers = Record<string, { description: string; schema: { type: "string" } }>;

type ProblemResponse = {
  description: string;
  headers?: Headers;
  content: Record<string, { schema: z.ZodType; examples?: Record<string, { $ref: string }> }>;
};

/** How the errors of a document look: their media type, their schema, and the body of an error. */
export type ErrorForm = {
  mediaType: string;
  schema: LazySchema;
  present: (problem: Problem<string>, requestId: string) => object;
};

/** Returns the form of a service's own errors. */
export const serviceErrorForm = (table: ErrorTable, withMessage: boolean): ErrorForm => ({
  mediaType: "application/json",
  schema: problemSchema,
  present: (problem, requestId) => presentProblem(problem, table, requestId, { withMessage }).body,
});

/** Headers that every response with the status has. */
const problemHeaders: Record<number, Headers> = {
  401: { "WWW-Authenticate": { description: "The authentication scheme", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds until the request can be sent again", schema: { type: "string" } } },
};

/** The key of the error codes in a route's `responses` object. They are expanded when the document is built. */
export const errorCodes = Symbol("errorCodes");

/** The error codes of a route, with the service's table. `form` replaces the form of the document's other errors. */
export type ResponseErrors = { table: ErrorTable; codes: string[]; form?: Pick<ErrorForm, "mediaType" | "schema"> };

const exampleRequestId = "5f0c2a52-8d0e-4a3b-9c57-1d2e3f4a5b6c";

/**
 * Returns the error codes of a route, to be spread into its responses. They are expanded when the document is built.
 */
export function problemResponses(
  table: ErrorTable,
  codes: string[],
  form?: Pick<ErrorForm, "mediaType" | "schema">,
): { [errorCodes]: ResponseErrors } {
  return { [errorCodes]: { table, codes, ...(form === undefined ? {} : { form }) } };
}

/**
 * Returns one error response per status, with an example per code. Routes of pages also respond with HTML. Throws for a
 * code that is not in the table.
 */
export function describeErrorCodes(
  { table, codes, form: ownForm }: ResponseErrors,
  documentForm: ErrorForm,
  isPage: boolean,
): Record<string, ProblemResponse> {
  const { mediaType, schema } = ownForm ?? documentForm;
  const responses: Record<string, ProblemResponse> = {};
  for (const code of new Set(codes)) {
    const entry = table[code];
    if (!entry) throw new Error(`unknown error code in a route: ${code}`);
    const wire = entry.code ?? code;
    const line = `\`${wire}\`: ${entry.message}`;
    const present = responses[entry.status];
    const headers = problemHeaders[entry.status];
    responses[entry.status] = {
      description: present ? `${present.description}\n\n${line}` : line,
      ...(headers ? { headers } : {}),
      content: {
        [mediaType]: {
          schema: schema.unwrap(),
          // The shared examples have the form of the document's other errors.
          ...(ownForm === undefined
            ? {
                examples: {
                  ...present?.content[mediaType]?.examples,
                  [wire]: { $ref: `#/components/examples/${code}` },
                },
              }
            : {}),
        },
        ...(isPage ? { "text/html": { schema: z.string() } } : {}),
      },
    };
  }
  return responses;
}

/** Returns the error body of every code as an example component; `describeErrorCodes` refers to these. */
export function problemExamples(
  table: ErrorTable,
  { present }: ErrorForm,
): { name: string; summary: string; value: unknown }[] {
  return Object.entries(table).map(([name, { message }]) => {
    const options = name === "validation_failed" ? { field_errors: { company_id: ["invalid"] } } : {};
    return { name, summary: message, value: present(new Problem<string>(name, options), exampleRequestId) };
  });
}

/** Returns a media type object that builds its schema only when the document is built. */
export function media(schema: z.ZodType | LazySchema): { schema: z.ZodType } {
  return {
    get schema() {
      return builtSchema(schema);
    },
  };
}

/** Builds a lazy schema; returns others unchanged. */
export function builtSchema<S extends z.ZodType>(schema: S | LazySchema<S>): S {
  return "def" in schema ? schema : schema.unwrap();
}

/** Returns a success response with a JSON body. */
export function jsonResponse(schema: z.ZodType | LazySchema, description: string) {
  return { description, content: { "application/json": media(schema) } };
}

/** Returns a required JSON body. */
export function jsonBody(schema: z.ZodType | LazySchema) {
  return { required: true, content: { "application/json": media(schema) } };
}

/** Returns a required body that is a file of one of these media types, or a form with a file. */
export function fileBody(types: readonly string[]) {
  const schemaOf = (type: string) => (type === "multipart/form-data" ? fileFormSchema : bytesSchema);
  return { required: true, content: Object.fromEntries(types.map((type) => [type, media(schemaOf(type))])) };
}

import * as z from "zod";
import { bytesSchema } from "../../../../schemas/bytes";
import { type ErrorTable, problemSchema } from "../../../../schemas/errors";
import type { LazySchema } from "../../../../schemas/lazy-schema";
import { Problem, presentProblem } from "../../problem";

type Headers = Record<string, { description: string; schema: { type: "string" } }>;

type ProblemResponse = {
  description: string;
  headers?: Headers;
  content: {
    "application/json": { schema: z.ZodType; examples: Record<string, { $ref: string }> };
    "text/html"?: { schema: z.ZodType };
  };
};

/** Headers that an error status always carries. */
const problemHeaders: Record<number, Headers> = {
  401: { "WWW-Authenticate": { description: "The kind of credential that is asked for", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Whole seconds until the call would fit", schema: { type: "string" } } },
};

/** Under this key the refusals of a route stand among its responses until a document is made. */
export const refusals = Symbol("refusals");

/** The codes by which a route refuses, of the service's table. */
export type Refusals = { table: ErrorTable; codes: string[] };

const exampleRequestId = "5f0c2a52-8d0e-4a3b-9c57-1d2e3f4a5b6c";

/** The error answers of a route, to spread among its responses: data alone, until a document is made of them. */
export function problemResponses(table: ErrorTable, codes: string[]): { [refusals]: Refusals } {
  return { [refusals]: { table, codes } };
}

/**
 * Error answers, one per status with an example per code; of a page also as one, for browsers. Throws for a code that is not in
 * the table.
 */
export function describeRefusals({ table, codes }: Refusals, isPage: boolean): Record<string, ProblemResponse> {
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
        "application/json": {
          schema: problemSchema.unwrap(),
          examples: {
            ...present?.content["application/json"].examples,
            [wire]: { $ref: `#/components/examples/${code}` },
          },
        },
        ...(isPage ? { "text/html": { schema: z.string() } } : {}),
      },
    };
  }
  return responses;
}

/** The error body of every code, as components of the document that `problemResponses` refers to. */
export function problemExamples(
  table: ErrorTable,
  withMessage: boolean,
): { name: string; summary: string; value: unknown }[] {
  return Object.entries(table).map(([name, { message }]) => {
    const options = name === "validation_failed" ? { field_errors: { company_id: ["invalid"] } } : {};
    const { body } = presentProblem(new Problem<string>(name, options), table, exampleRequestId, { withMessage });
    return { name, summary: message, value: body };
  });
}

/** A body of a media type, by a schema that is built when a document is made. */
export function media(of: z.ZodType | LazySchema): { schema: z.ZodType } {
  return {
    get schema() {
      return builtSchema(of);
    },
  };
}

/** The schema itself. */
export function builtSchema<S extends z.ZodType>(schema: S | LazySchema<S>): S {
  return "def" in schema ? schema : schema.unwrap();
}

/** A success answer with a JSON body. */
export function jsonResponse(schema: z.ZodType | LazySchema, description: string) {
  return { description, content: { "application/json": media(schema) } };
}

/** A required JSON body. */
export function jsonBody(schema: z.ZodType | LazySchema) {
  return { required: true, content: { "application/json": media(schema) } };
}

/** A required body that is a file of one of these media types. */
export function fileBody(types: readonly string[]) {
  return { required: true, content: Object.fromEntries(types.map((type) => [type, media(bytesSchema)])) };
}

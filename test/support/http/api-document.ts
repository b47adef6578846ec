import * as z from "zod";

/** The part of an OpenAPI 3.1 document that tests read. */
export type ApiDocument = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Record<string, Schema>;
    examples?: Record<string, Example>;
    securitySchemes?: Record<string, unknown>;
  };
};
export type Operation = {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
};
type Example = { $ref?: string; value?: unknown };
export type Media = { schema?: Schema; example?: unknown; examples?: Record<string, Example> };
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
};

/** The document that a service serves; `call` goes through its front door. */
export async function readDocument(call: (path: string) => Promise<Response>): Promise<ApiDocument> {
  const answer = await call("/api/schema/");
  if (!answer.ok) throw new Error(`no API document: ${answer.status}`);
  return answer.json<ApiDocument>();
}

/** One operation of a document. `key` is its method and path, `patch /api/v1/oauth-redirects/{id}`. */
export type Listed = { key: string; method: string; path: string; operation: Operation };

export const methods = ["get", "post", "put", "patch", "delete"];

/** The operations of a document, so that none is left out of a test. */
export function operationsOf(document: ApiDocument): Listed[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ key: `${method} ${path}`, method, path, operation }] : [];
    }),
  );
}

/** Whether an operation needs a bearer, may have one, or reads none. */
export function credentialOf(operation: Operation): "required" | "optional" | "none" {
  if (!operation.security?.length) return "none";
  return operation.security.every((one) => Object.keys(one).length > 0) ? "required" : "optional";
}

/** The schema behind a reference. */
export function resolve(schema: Schema, document: ApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  const found = document.components?.schemas?.[schema.$ref.replace("#/components/schemas/", "")];
  if (!found) throw new Error(`no component ${schema.$ref}`);
  return found;
}

/** The schema of a JSON body; undefined without one. */
export function jsonSchemaOf(content: Record<string, Media> | undefined): Schema | undefined {
  return content?.["application/json"]?.schema;
}

/** Examples of a media type: its own, and those of its schema or, of a union, of its members. */
export function examplesOf(media: Media, document: ApiDocument): unknown[] {
  const own = Object.values(media.examples ?? {}).map(({ $ref, value }) =>
    $ref === undefined ? value : document.components?.examples?.[$ref.replace("#/components/examples/", "")]?.value,
  );
  const single = media.example === undefined ? [] : [media.example];
  return [...own, ...single, ...(media.schema ? examplesOfSchema(media.schema, document) : [])];
}

function examplesOfSchema(schema: Schema, document: ApiDocument): unknown[] {
  const { examples = [], anyOf = [], oneOf = [] } = resolve(schema, document);
  return [...examples, ...[...anyOf, ...oneOf].flatMap((one) => examplesOfSchema(one, document))];
}

/** A schema of the document as a check of values. */
export function shapeOf(schema: Schema, document: ApiDocument): z.ZodType {
  const $defs = document.components?.schemas ?? {};
  const text = JSON.stringify({ ...schema, $defs }).replaceAll("#/components/schemas/", "#/$defs/");
  return z.fromJSONSchema(JSON.parse(text));
}

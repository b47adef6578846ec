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

/** Returns the API document that a service serves; `call` sends a request to the service. */
export async function readDocument(call: (path: string) => Promise<Response>): Promise<ApiDocument> {
  const response = await call("/api/schema/");
  if (!response.ok) throw new Error(`no API document: ${response.status}`);
  return response.json<ApiDocument>();
}

/** An operation of a document. `key` is its method and path, such as `patch /api/v1/oauth-redirects/{id}`. */
export type Listed = { key: string; method: string; path: string; operation: Operation };

export const methods = ["get", "post", "put", "patch", "delete"];

/** Returns all operations of a document. */
export function operationsOf(document: ApiDocument): Listed[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ key: `${method} ${path}`, method, path, operation }] : [];
    }),
  );
}

/** Returns whether an operation requires a bearer, accepts one, or ignores it. */
export function credentialOf(operation: Operation): "required" | "optional" | "none" {
  if (!operation.security?.length) return "none";
  return operation.security.every((alternative) => Object.keys(alternative).length > 0) ? "required" : "optional";
}

/** Returns the schema that a reference points to. */
export function resolve(schema: Schema, document: ApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  const target = document.components?.schemas?.[schema.$ref.replace("#/components/schemas/", "")];
  if (!target) throw new Error(`no component ${schema.$ref}`);
  return target;
}

/** Returns the schema of a JSON body, or undefined. */
export function jsonSchemaOf(content: Record<string, Media> | undefined): Schema | undefined {
  return (content?.["application/json"] ?? content?.["application/scim+json"])?.schema;
}

/** Returns the examples of a media type and of its schema or the members of its union. */
export function examplesOf(media: Media, document: ApiDocument): unknown[] {
  const mediaExamples = Object.values(media.examples ?? {}).map(({ $ref, value }) =>
    $ref === undefined ? value : document.components?.examples?.[$ref.replace("#/components/examples/", "")]?.value,
  );
  const single = media.example === undefined ? [] : [media.example];
  return [...mediaExamples, ...single, ...(media.schema ? examplesOfSchema(media.schema, document) : [])];
}

function examplesOfSchema(schema: Schema, document: ApiDocument): unknown[] {
  const { examples = [], anyOf = [], oneOf = [] } = resolve(schema, document);
  return [...examples, ...[...anyOf, ...oneOf].flatMap((member) => examplesOfSchema(member, document))];
}

const shapes = new WeakMap<ApiDocument, Map<string, z.ZodType>>();

/** Returns a validator for a schema of the document, and returns the same one for an equal schema. */
export function shapeOf(schema: Schema, document: ApiDocument): z.ZodType {
  const documentShapes = shapes.get(document) ?? new Map<string, z.ZodType>();
  shapes.set(document, documentShapes);
  const text = JSON.stringify(schema);
  const shape = documentShapes.get(text) ?? z.fromJSONSchema(JSON.parse(withDefinitions(text, document)));
  documentShapes.set(text, shape);
  return shape;
}

/** Returns the JSON of a schema with the definitions that it uses, directly or through others. The whole document has hundreds. */
function withDefinitions(schema: string, document: ApiDocument): string {
  const $defs: Record<string, unknown> = {};
  const add = (text: string): void => {
    for (const [, name = ""] of text.matchAll(/#\/components\/schemas\/([\w.-]+)/g)) {
      if (Object.hasOwn($defs, name)) continue;
      $defs[name] = document.components?.schemas?.[name];
      add(JSON.stringify($defs[name] ?? {}));
    }
  };
  add(schema);
  const text = JSON.stringify({ ...JSON.parse(schema), $defs });
  return text.replaceAll("#/components/schemas/", "#/$defs/");
}

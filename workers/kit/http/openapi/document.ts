import { OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import type { ApiDeclaration } from "../service";
import { serverUrl } from "./docs";
import { describeOperation } from "./operation";
import { withShape } from "./parameters";
import { problemExamples } from "./responses";

/** The head of an OpenAPI document. `bearer` describes the bearer token. */
export type ApiInfo = { title: string; version: string; bearer: string };

/** The input of a service's OpenAPI document. */
export type DescribedApi = ApiDeclaration & { info: ApiInfo };

/** An OpenAPI 3.1 document. */
type ApiDocument = ReturnType<OpenApiGeneratorV31["generateDocument"]>;

const description =
  "Every response has `X-Request-ID`, which a request may set. A trailing slash is ignored. An error is " +
  "a JSON object with its `error_code`; an unknown path is 404 `not_found`, another method 405 `method_not_allowed` " +
  "with `Allow`. Times are ISO 8601 in UTC.";

/**
 * Builds the OpenAPI document of a service's routes. Only scripts and tests call it: a Worker serves the document that
 * the build generated.
 */
export function makeDocument({ routes, errors, withMessage, faultCode, info }: DescribedApi): ApiDocument {
  const { title, version, bearer } = info;
  const registry = new OpenAPIRegistry();
  for (const { name, ...example } of problemExamples(errors, withMessage))
    registry.registerComponent("examples", name, example);
  for (const route of routes) registry.registerPath(describeOperation(route, errors, faultCode));
  registry.registerComponent("securitySchemes", "bearerAuth", { type: "http", scheme: "bearer", description: bearer });
  const generator = new OpenApiGeneratorV31(registry.definitions);
  const head = { openapi: "3.1.0", info: { title, version, description }, servers: [{ url: serverUrl }] };
  return withShapes(withNulls(generator.generateDocument(head)));
}

function withShapes(document: ApiDocument): ApiDocument {
  const operations = Object.values(document.paths ?? {}).flatMap(({ get, post, put, patch, delete: remove }) => [
    get,
    post,
    put,
    patch,
    remove,
  ]);
  for (const operation of operations) {
    if (operation?.parameters) operation.parameters = operation.parameters.map(withShape);
  }
  return document;
}

/** Adds null to the values of nullable enums. The generator omits it, so JSON Schema would reject null. */
function withNulls<T>(node: T): T {
  if (Array.isArray(node)) return node.map(withNulls) as T;
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withNulls(value)]));
  // zod accepts only safe integers.
  if ([copy.type].flat().includes("integer")) copy.maximum ??= Number.MAX_SAFE_INTEGER;
  const mayBeNull = Array.isArray(copy.type) && copy.type.includes("null");
  if (mayBeNull && Array.isArray(copy.enum) && !copy.enum.includes(null)) copy.enum = [...copy.enum, null];
  return copy as T;
}

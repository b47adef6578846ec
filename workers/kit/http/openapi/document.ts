import { OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import type { ErrorTable } from "../../../../schemas/errors";
import type { ApiDeclaration, RouteDeclaration } from "../service";
import { protocolDocumentName, serverUrl } from "./docs";
import { describeOperation } from "./operation";
import { withShape } from "./parameters";
import { type ErrorForm, problemExamples, serviceErrorForm } from "./responses";

/** The head of an OpenAPI document. `bearer` describes the bearer token. */
export type ApiInfo = { title: string; version: string; bearer: string };

/**
 * A standard protocol whose routes have an OpenAPI document of their own. `name` is part of the paths of the document and its pages.
 * `errors` are the codes that its routes return, and `errorForm` is their form.
 */
export type ProtocolInfo = ApiInfo & { name: string; description: string; errors: ErrorTable; errorForm: ErrorForm };

/** The input of a service's OpenAPI documents. */
export type DescribedApi = ApiDeclaration & { info: ApiInfo; protocol: ProtocolInfo | null };

/** An OpenAPI 3.1 document. */
type ApiDocument = ReturnType<OpenApiGeneratorV31["generateDocument"]>;

const description =
  "Every response has `X-Request-ID`, which a request may set. A trailing slash is ignored. An error is " +
  "a JSON object with its `error_code`; an unknown path is 404 `not_found`, another method 405 `method_not_allowed` " +
  "with `Allow`. Times are ISO 8601 in UTC.";

/**
 * Builds the OpenAPI documents of a service by name: one of its own routes, and one of the routes of its protocol. Only scripts and
 * tests call it: a Worker serves the documents that the build generated.
 */
export function makeDocuments(api: DescribedApi): Record<string, ApiDocument> {
  const { name, routes, protocolRoutes, errors, withMessage, faultCode, info, protocol } = api;
  const form = serviceErrorForm(errors, withMessage);
  const serviceDocument = makeDocument({ routes, errors, faultCode, form, info: { ...info, description } });
  if (protocol === null) return { [name]: serviceDocument };
  const { errors: protocolErrors, errorForm } = protocol;
  return {
    [name]: serviceDocument,
    [protocolDocumentName(name, protocol)]: makeDocument({
      routes: protocolRoutes,
      errors: protocolErrors,
      faultCode,
      form: errorForm,
      info: protocol,
    }),
  };
}

type DocumentParts = {
  routes: RouteDeclaration[];
  errors: ErrorTable;
  faultCode: string;
  form: ErrorForm;
  info: ApiInfo & { description: string };
};

function makeDocument({ routes, info, ...errorParts }: DocumentParts): ApiDocument {
  const { title, version, bearer, description } = info;
  const registry = new OpenAPIRegistry();
  for (const { name, ...example } of problemExamples(errorParts.errors, errorParts.form))
    registry.registerComponent("examples", name, example);
  for (const route of routes) registry.registerPath(describeOperation(route, errorParts));
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
  const isNullable = Array.isArray(copy.type) && copy.type.includes("null");
  if (isNullable && Array.isArray(copy.enum) && !copy.enum.includes(null)) copy.enum = [...copy.enum, null];
  return copy as T;
}

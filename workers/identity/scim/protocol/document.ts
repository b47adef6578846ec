import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type * as z from "zod";
import type { ErrorTable } from "../../../../schemas/errors";
import { version } from "../../../../schemas/health";
import { identityErrors } from "../../../../schemas/identity/errors";
import { scimErrorSchema, scimPath } from "../../../../schemas/identity/scim/messages";
import type { LazySchema } from "../../../../schemas/lazy-schema";
import type { ProtocolInfo } from "../../../kit/http/openapi/document";
import { builtSchema, media, problemResponses } from "../../../kit/http/openapi/responses";
import type { ErrorCode } from "../../problem";
import { presentScimProblem, SCIM_TYPE } from "./scim-problem";

// The OpenAPI document of the SCIM endpoints: docs/specification/scim.md.

const documentedCodes = [
  "validation_failed",
  ...(["unauthorized", "token_invalid"] as const),
  ...(["access_denied", "forbidden"] as const),
  ...(["not_found", "method_not_allowed"] as const),
  ...(["conflict", "user_shared", "last_company_owner", "limit_reached"] as const),
  ...(["payload_too_large", "unsupported_media_type", "rate_limited"] as const),
  ...(["internal_error", "service_unavailable"] as const),
] satisfies ErrorCode[];

/** The error codes of SCIM endpoints. */
const scimErrors: ErrorTable = {
  ...Object.fromEntries(documentedCodes.map((code) => [code, identityErrors[code]])),
  validation_failed: {
    ...identityErrors.validation_failed,
    message: "The request is not valid; see scimType and detail.",
  },
};

/** The head of the OpenAPI document of the SCIM endpoints. */
export const scimProtocol: ProtocolInfo = {
  name: "scim",
  title: "Identity, SCIM 2.0",
  version,
  bearer: "A SCIM token of the company in the path",
  description:
    "The SCIM 2.0 endpoints with which a user directory manages the users and groups of a company (RFC 7643, RFC 7644). Every " +
    "response has `X-Request-ID`, which a request may set. Every error has the SCIM error schema (RFC 7644, 3.12) with `error_code` " +
    "and `request_id`; an unknown path is 404 `not_found`, another method 405 `method_not_allowed` with `Allow`. The bodies in this " +
    "document are in the form of the RFC. The service also accepts the deviations that directories send: other attributes, which it " +
    "ignores, names in any case, and names that are paths. Times are ISO 8601 in UTC. There are no ETags.",
  errors: scimErrors,
  errorForm: {
    mediaType: SCIM_TYPE,
    schema: scimErrorSchema,
    present: (problem, requestId) => presentScimProblem(problem, requestId, scimErrors).body,
  },
};

type Schema = z.ZodObject | LazySchema<z.ZodObject>;

/**
 * What the document says about an endpoint. `params` includes the company. `errorCodes` are those beyond the codes of every endpoint
 * and of a body.
 */
export type EndpointDocument = {
  params?: Schema;
  query?: Schema;
  body?: LazySchema;
  responses: RouteConfig["responses"];
  errorCodes?: ErrorCode[];
};

const everyEndpoint: ErrorCode[] = ["unauthorized", "token_invalid", "access_denied", "not_found", "rate_limited"];
const withBody: ErrorCode[] = ["validation_failed", "payload_too_large", "unsupported_media_type"];

/** Returns the request and the responses of an endpoint. */
export function describeEndpoint(document: EndpointDocument): Pick<RouteConfig, "request" | "responses"> {
  const { params = scimPath, query, body, responses, errorCodes = [] } = document;
  const codes = new Set([...everyEndpoint, ...(body === undefined ? [] : withBody), ...errorCodes]);
  return {
    request: {
      params: builtSchema(params),
      ...(query === undefined ? {} : { query: builtSchema(query) }),
      ...(body === undefined ? {} : { body: { required: true, content: jsonContent(body) } }),
    },
    responses: {
      ...responses,
      ...problemResponses(
        scimErrors,
        documentedCodes.filter((code) => codes.has(code)),
      ),
    },
  };
}

/** A body of a request. The service also accepts `application/json`. */
const jsonContent = (schema: LazySchema) => ({ [SCIM_TYPE]: media(schema), "application/json": media(schema) });

/** Returns a success response with a SCIM body. */
export const scimBody = (schema: LazySchema, description: string) => ({
  description,
  content: { [SCIM_TYPE]: media(schema) },
});

/** Returns the 201 response with the resource and its URL. */
export const createdBody = (schema: LazySchema, description: string) => ({
  ...scimBody(schema, description),
  headers: { Location: { description: "URL of the resource", schema: { type: "string" as const } } },
});

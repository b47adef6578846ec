import type { ErrorTable } from "../../../../schemas/errors";
import { identityErrors } from "../../../../schemas/identity/errors";
import { type Problem as AnyProblem, presentProblem } from "../../../kit/problem";
import { type ErrorCode, Problem } from "../../problem";

/** The keyword that narrows an error down: RFC 7644, 3.12, table 9. */
type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "uniqueness";

const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";
const SCIM_PATH = /^\/api\/v1\/companies\/[^/]+\/scim\/v2(?:\/|$)/;

/** The media type of SCIM requests and responses: RFC 7644, 8.1. */
export const SCIM_TYPE = "application/scim+json";

/** Returns a 400 with this SCIM keyword. `detail` names the attribute and the problem. */
export function badRequest(scimType: ScimType, detail: string): Problem {
  return new Problem("validation_failed", { message: detail, extra: { scimType } });
}

/** A change that the state of the company does not allow. Owners learn of it by an event, and about `end_last_owner` also by mail. */
export type Conflict = { display_name: string; operation: "create_group" | "update_group" | "end_last_owner" };

/** Returns a 409 with the keyword `uniqueness`, and the conflict that it reports to owners. */
export function notUnique(detail: string, reported: Conflict | null = null): Problem {
  return new Problem("conflict", { message: detail, extra: { scimType: "uniqueness", reported } });
}

/** Returns a 409 with this code and sentence, and the conflict that it reports to owners. */
export function conflict(code: ErrorCode, detail: string, reported: Conflict | null = null): Problem {
  return new Problem(code, { message: detail, extra: { reported } });
}

/** Returns the conflict that an error reports to owners, or null. */
export const conflictOf = ({ options }: AnyProblem<string>): Conflict | null =>
  (options.extra?.reported as Conflict | null | undefined) ?? null;

/** Returns status, body and headers of an error in the SCIM error schema (RFC 7644, 3.12), with `error_code` and `request_id`. */
export function presentScimProblem(problem: AnyProblem<string>, requestId: string, table: ErrorTable = identityErrors) {
  const { status, body, headers } = presentProblem(problem, table, requestId, { withMessage: true });
  const { scimType } = problem.options.extra ?? {};
  const keyword = scimType ?? (problem.code === "validation_failed" ? "invalidSyntax" : undefined);
  const error = {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(keyword === undefined ? {} : { scimType: keyword }),
    detail: body.message,
    error_code: body.error_code,
    request_id: requestId,
  };
  return { status, headers, body: error };
}

/** Returns the response to an error of a SCIM endpoint, or null for other paths. */
export function scimErrorResponse(request: Request, problem: AnyProblem<string>, requestId: string): Response | null {
  if (!SCIM_PATH.test(new URL(request.url).pathname)) return null;
  const { status, headers, body } = presentScimProblem(problem, requestId);
  return Response.json(body, { status, headers: { ...headers, "content-type": SCIM_TYPE } });
}

/**
 * Returns what to do when a plan cannot be made again: a deletion whose resource is gone has succeeded, because the response of its
 * batch was lost or another request deleted it. Every other error is thrown.
 */
export const nullIfDeleted =
  ({ operation }: { operation: string }) =>
  (error: unknown): null => {
    if (operation === "delete" && error instanceof Problem && error.code === "not_found") return null;
    throw error;
  };

import { emailErrors } from "../../../../schemas/email/errors";
import { resendProblemSchema } from "../../../../schemas/email/intake/emails";
import { problemResponses } from "../../../kit/http/openapi/responses";
import { messageOf, type Problem, presentProblem } from "../../../kit/problem";

const PATH = "/api/v1/emails";

/** The names of errors that Resend's clients know, by error code. Other errors get the name of their status. */
const NAMES: Record<string, string> = {
  unauthorized: "invalid_api_key",
  idempotency_conflict: "invalid_idempotent_request",
  message_not_cancellable: "validation_error",
};

function nameOf(code: string, status: number): string {
  const name = NAMES[code];
  if (name !== undefined) return name;
  if (status === 404) return "not_found";
  if (status === 405) return "method_not_allowed";
  if (status === 429) return "rate_limit_exceeded";
  if (status >= 500) return "application_error";
  return "validation_error";
}

/**
 * Returns the response to a failed request below `/api/v1/emails` in Resend's form, with the members of this service's errors.
 * Returns null for other paths.
 */
export function resendErrorResponse(request: Request, problem: Problem<string>, requestId: string): Response | null {
  const { pathname } = new URL(request.url);
  if (pathname !== PATH && !pathname.startsWith(`${PATH}/`)) return null;
  const { status, body, headers } = presentProblem(problem, emailErrors, requestId, { withMessage: false });
  const message = problem.options.message ?? messageOf(problem, emailErrors);
  const error = { statusCode: status, name: nameOf(problem.code, status), message, ...body };
  return Response.json(error, { status, headers });
}

/** Returns the error responses of a route below `/api/v1/emails` for the OpenAPI document. */
export function resendErrorResponses(codes: readonly string[]) {
  const form = { mediaType: "application/json", schema: resendProblemSchema };
  return problemResponses(emailErrors, ["unauthorized", "company_mismatch", "rate_limited", ...codes], form);
}

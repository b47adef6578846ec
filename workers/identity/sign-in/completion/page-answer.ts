import { identityErrors } from "../../../../schemas/identity/errors";
import { type PageLanguage, requestLanguage, wantsHtml } from "../../../kit/http/request/page-language";
import { errorName } from "../../../kit/log";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { signInProblemPage } from "./sign-in-page";

/**
 * Returns a Problem unchanged. Logs any other error and returns `service_unavailable`, so that the page asks the user to try
 * again.
 */
export function asProblem(services: IdentityServices, error: unknown): Problem {
  if (error instanceof Problem) return error;
  services.log.error("page failed", { cause: errorName(error) });
  return new Problem("service_unavailable", { cause: error });
}

/** Returns a redirect that ends a sign-in or a form. It is not cached and sends no referrer. */
export function redirectTo(location: string, status: 302 | 303 = 302): Response {
  const headers = { location, "referrer-policy": "no-referrer", "cache-control": "no-store" };
  return new Response(null, { status, headers });
}

/**
 * Returns the error page of a rejected sign-in if the browser accepts HTML. Otherwise rethrows the error for a JSON response. The page
 * has a language link when the request can be repeated.
 */
export async function refuseSignIn(
  services: IdentityServices,
  request: Request,
  error: unknown,
  otherLanguageUrl?: string,
): Promise<Response> {
  if (!wantsHtml(request)) throw error;
  return signInProblem(services, requestLanguage(request), asProblem(services, error), otherLanguageUrl);
}

/** Returns the error page of a rejection in the language of the request. */
export function refusalPage(request: Request, problem: Problem, requestId: string): Promise<Response> {
  return signInProblem({ requestId }, requestLanguage(request), problem);
}

/** Returns the HTTP status of a rejection. */
export function statusOf({ code }: Problem): number {
  return identityErrors[code as keyof typeof identityErrors].status;
}

/** Returns the error page of a rejected sign-in. */
export function signInProblem(
  { requestId }: Pick<IdentityServices, "requestId">,
  language: PageLanguage,
  problem: Problem,
  otherLanguageUrl?: string,
): Promise<Response> {
  const { code, options } = problem;
  return signInProblemPage({
    language,
    otherLanguageUrl,
    code,
    status: statusOf(problem),
    headers: options.headers ?? {},
    requestId,
  });
}

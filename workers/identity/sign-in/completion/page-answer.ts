import { identityErrors } from "../../../../schemas/identity/errors";
import { type PageLanguage, pageLanguage, wantsHtml } from "../../../kit/http/request/page-language";
import { errorName } from "../../../kit/log";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { signInProblemPage } from "./sign-in-page";

/** A fault behind a page is the database's or ours, and is logged; either way the person may try again. */
export function asProblem(services: IdentityServices, error: unknown): Problem {
  if (error instanceof Problem) return error;
  services.log.error("page failed", { cause: errorName(error) });
  return new Problem("service_unavailable", { cause: error });
}

/** A redirect that ends a sign-in or a form; it is kept by nobody and names no referrer. */
export function redirectTo(location: string, status: 302 | 303 = 302): Response {
  const headers = { location, "referrer-policy": "no-referrer", "cache-control": "no-store" };
  return new Response(null, { status, headers });
}

/** A refusal of a sign-in as a page where the browser asked for one; otherwise it is thrown on and answered as JSON. */
export async function refuseSignIn(services: IdentityServices, request: Request, error: unknown): Promise<Response> {
  if (!wantsHtml(request)) throw error;
  return refusalPage(request, asProblem(services, error), services.requestId);
}

/** A refusal for a browser that sent no language of its own. */
export function refusalPage(request: Request, problem: Problem, requestId: string): Promise<Response> {
  return signInProblem({ requestId }, pageLanguage(null, request.headers.get("accept-language")), problem);
}

/** The status of a refusal. */
export function statusOf({ code }: Problem): number {
  return identityErrors[code as keyof typeof identityErrors].status;
}

/** The page of a refused sign-in. */
export function signInProblem(
  { requestId }: Pick<IdentityServices, "requestId">,
  language: PageLanguage,
  problem: Problem,
): Promise<Response> {
  const { code, options } = problem;
  return signInProblemPage({ language, code, status: statusOf(problem), headers: options.headers ?? {}, requestId });
}

import { identityErrors } from "../../../../schemas/identity/errors";
import { callbackForm, callbackQuery } from "../../../../schemas/identity/sign-in/oauth";
import { problemResponses } from "../../../kit/http/openapi/responses";
import { isForm, mediaTypeOf, readForm } from "../../../kit/http/request/form";
import { clientContext } from "../../caller/client/client-context";
import { limitByIp } from "../../caller/client/limits";
import { isRedirectAllowed, parseRedirect } from "../../company/redirects/redirect-target";
import type { IdentityContext, IdentityService } from "../../http";
import { type ErrorCode, Problem } from "../../problem";
import { recordFailure } from "../../records/audit/login-failure";
import { readTokenCookie } from "../completion/cookie";
import { redirectTo, refuseSignIn } from "../completion/page-answer";
import { signInSentence } from "../completion/sign-in-page";
import { factsOfPendingSignIn, finishSignIn } from "./callback";
import type { CallbackValues } from "./exchange";
import { claimState, type FormPost, type PendingSignIn, STATE_COOKIE, storeForm } from "./state";

const MAX_VALUE_LENGTH = 4096;
const ERRORS = ["invalid_oauth_state", "redirect_not_allowed", "rate_limited", "service_unavailable"];

/** Mounts the callback that all providers share. */
export function mountOAuthCallback(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/oauth/callback",
      summary: "Receive the redirect of a provider",
      tags: ["OAuth"],
      describe: () => ({
        request: { query: callbackQuery.unwrap() },
        responses: {
          302: { description: "To `redirect_to`, signed in or with an error" },
          ...problemResponses(identityErrors, ERRORS),
        },
      }),
    },
    finish,
    { isPage: true },
  );
  service.route(
    {
      method: "post",
      path: "/api/v1/oauth/callback",
      summary: "Receive the form post of Apple",
      tags: ["OAuth"],
      describe: () => ({
        request: {
          body: { required: true, content: { "application/x-www-form-urlencoded": { schema: callbackForm.unwrap() } } },
        },
        responses: {
          303: { description: "To the GET form" },
          ...problemResponses(identityErrors, [
            ...ERRORS,
            "validation_failed",
            "method_not_allowed",
            "payload_too_large",
            "unsupported_media_type",
          ]),
        },
      }),
    },
    receiveFormPost,
    { isPage: true },
  );
}

async function finish(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const client = clientContext(c.req.raw);
  try {
    await limitByIp(services, c.req.raw, "oauth", services.settings.rates.oauth);
    const query = c.req.query();
    const attempt = await claimState(services, query.state, readTokenCookie(services, c.req.raw, STATE_COOKIE));
    const refuse = (reason: ErrorCode, provider: string | null): Problem => {
      const { company } = attempt;
      const request = "refused" in attempt ? null : factsOfPendingSignIn(attempt);
      recordFailure(services, client, { company, user: null, request, reason, provider: provider ?? "oauth" });
      return new Problem(reason);
    };
    if ("refused" in attempt) throw refuse("invalid_oauth_state", attempt.provider);
    const target = parseRedirect(attempt.state.redirect_to);
    if (!target || !isRedirectAllowed(target, attempt.origins.includes(target.origin), services.settings.debug)) {
      throw refuse("redirect_not_allowed", attempt.client?.provider_id ?? null);
    }
    const values = valuesOf(attempt, query);
    return redirectTo(await finishSignIn(services, attempt, values, target, client, signInSentence));
  } catch (error) {
    return refuseSignIn(services, c.req.raw, error);
  }
}

/**
 * Returns the values that the provider sent: from its form post if there was one, else from the query. Values that are too
 * long count as missing.
 */
function valuesOf(attempt: PendingSignIn, query: Record<string, string>): CallbackValues {
  if (attempt.secrets.form) return attempt.secrets.form;
  return pick(query, ["code", "error", "iss"]);
}

function pick<Name extends string>(values: Record<string, string>, names: Name[]): Partial<Record<Name, string>> {
  const entries = names.flatMap((name) => {
    const value = values[name];
    return value !== undefined && value.length <= MAX_VALUE_LENGTH ? [[name, value]] : [];
  });
  return Object.fromEntries(entries) as Partial<Record<Name, string>>;
}

async function receiveFormPost(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  try {
    await limitByIp(services, c.req.raw, "oauth", services.settings.rates.oauth);
    if (!isForm(mediaTypeOf(c.req.raw))) throw new Problem("unsupported_media_type");
    const form = Object.fromEntries(await readForm(c.req.raw));
    const state = form.state ?? "";
    const values: FormPost = pick(form, ["code", "error", "user"]);
    await storeForm(services, state, values);
    // Browsers omit the state's cookie from a cross-site post, but send it with the GET that follows this redirect.
    return redirectTo(`?${new URLSearchParams({ state })}`, 303);
  } catch (error) {
    return refuseSignIn(services, c.req.raw, error);
  }
}

import * as z from "zod";
import { identityErrors } from "../../../../schemas/identity/errors";
import { authorizeQuery, authorizeSchema } from "../../../../schemas/identity/sign-in/oauth";
import { randomToken } from "../../../kit/crypto/random";
import { problemResponses } from "../../../kit/http/openapi/responses";
import { companyScope } from "../../../kit/http/request/company-scope";
import { requestLanguage } from "../../../kit/http/request/page-language";
import { parse } from "../../../kit/http/request/parse";
import { otherLanguageUrl } from "../../../kit/pages/page";
import { limitByIp } from "../../caller/client/limits";
import { isRedirectAllowed, requireRedirect } from "../../company/redirects/redirect-target";
import type { IdentityContext, IdentityService } from "../../http";
import { Problem } from "../../problem";
import { readTokenCookie, tokenCookie } from "../completion/cookie";
import { prepareCsrf } from "../completion/csrf";
import { chooseDelivery, errorLocation } from "../completion/delivery";
import { redirectTo, refuseSignIn } from "../completion/page-answer";
import { signInSentence } from "../completion/sign-in-page";
import { beginSignIn, chooseClient, readSignInMethods, type SignInMethods } from "./authorize";
import { choicePage, hasSignInMethod } from "./choice";
import { logProblem } from "./exchange";
import { STATE_COOKIE, STATE_COOKIE_SECONDS } from "./state";

type Query = z.output<typeof authorizeSchema>;

/** Mounts the endpoint that starts a sign-in at a provider, or shows the sign-in methods to choose from. */
export function mountAuthorize(service: IdentityService): void {
  service.route(
    {
      method: "get",
      path: "/api/v1/authorize",
      summary: "Sign in with a provider, or choose a sign-in method",
      description:
        "Errors return 400 until `redirect_to` is known to be allowed; later errors redirect with their code.",
      tags: ["OAuth"],
      describe: () => ({
        request: { query: authorizeQuery.unwrap() },
        responses: {
          200: {
            description: "HTML page to choose a sign-in method",
            content: { "text/html": { schema: z.string() } },
          },
          302: { description: "To the provider, or back to `redirect_to` with an error" },
          ...problemResponses(identityErrors, [
            "validation_failed",
            "redirect_not_allowed",
            "rate_limited",
            "service_unavailable",
          ]),
        },
      }),
    },
    authorize,
    { isPage: true },
  );
}

async function authorize(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { settings } = services;
  try {
    await limitByIp(services, c.req.raw, "oauth", settings.rates.oauth);
    const query = c.req.query();
    const companyId = companyScope({ query: query.company_id });
    const fields = parse(authorizeSchema, query);
    const target = requireRedirect(fields.redirect_to);
    const tokenDelivery = chooseDelivery(fields.token_delivery, fields.code_challenge, settings.tokenDelivery);
    const methods = await readSignInMethods(services, companyId, target.origin);
    if (!isRedirectAllowed(target, methods.isListed, settings.debug)) throw new Problem("redirect_not_allowed");
    try {
      return fields.provider
        ? await sendToProvider(c, methods, fields, { target, tokenDelivery })
        : await showChoice(c, methods, fields, target);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === "oauth_client_unavailable") logProblem(services, error);
      return redirectTo(errorLocation(target, error.code, signInSentence(error.code)));
    }
  } catch (error) {
    return refuseSignIn(services, c.req.raw, error, otherLanguageUrl(c.req.raw, requestLanguage(c.req.raw)));
  }
}

async function sendToProvider(
  c: IdentityContext,
  methods: SignInMethods,
  fields: Query,
  { target, tokenDelivery }: { target: URL; tokenDelivery: "code" | "fragment" },
): Promise<Response> {
  const services = c.get("services");
  const client = chooseClient(methods, fields.provider ?? "", fields.company_oauth_client_id);
  // Sign-ins in several tabs share one cookie.
  const cookie = readTokenCookie(services, c.req.raw, STATE_COOKIE) ?? randomToken();
  const location = await beginSignIn(services, client, {
    cookie,
    redirectTo: target.href,
    tokenDelivery,
    codeChallenge: fields.code_challenge ?? null,
    clientTimezone: fields.client_timezone ?? "",
    clientDeviceId: fields.client_device_id ?? "",
    switchAccount: fields.switch_account === "1" || fields.switch_account === "true",
  });
  const response = redirectTo(location);
  response.headers.append("set-cookie", tokenCookie(services, c.req.raw, STATE_COOKIE, cookie, STATE_COOKIE_SECONDS));
  return response;
}

/**
 * Returns the page to choose a sign-in method, for requests without `provider`. Its links and its form carry the other query
 * parameters of the request.
 */
async function showChoice(c: IdentityContext, methods: SignInMethods, fields: Query, target: URL): Promise<Response> {
  const services = c.get("services");
  if (!methods.company || !hasSignInMethod(services, methods)) throw new Problem("provider_disabled");
  const { switch_account: switchAccount, provider: _, company_oauth_client_id: __, ...shared } = fields;
  const forwardedFields: [string, string][] = Object.entries({
    ...shared,
    company_id: String(methods.company.id),
  }).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const csrf = prepareCsrf(services, c.req.raw);
  const isNested = new URL(c.req.url).pathname.endsWith("/");
  const language = requestLanguage(c.req.raw);
  const page = await choicePage(services, {
    language,
    otherLanguageUrl: otherLanguageUrl(c.req.raw, language),
    methods,
    forwardedFields,
    csrfToken: csrf.token,
    ...(switchAccount ? { switchAccount } : {}),
    paths: { authorize: "", request: `${isNested ? "../" : ""}magic-link/request` },
    redirectIsHttp: target.protocol === "http:",
  });
  page.headers.append("set-cookie", csrf.cookie);
  return page;
}

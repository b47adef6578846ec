import * as z from "zod";
import type { CompanyRow } from "../../../../db/identity/schema";
import { identityErrors } from "../../../../schemas/identity/errors";
import {
  linkRequestBody,
  linkRequestedSchema,
  linkRequestForm,
  linkRequestSchema,
} from "../../../../schemas/identity/sign-in/magic-link";
import { lazySchema } from "../../../../schemas/lazy-schema";
import { companyQuery } from "../../../../schemas/query";
import { canonicalAddress, personalAddress } from "../../../../schemas/text/address";
import { media, problemResponses } from "../../../kit/http/openapi/responses";
import { readJson } from "../../../kit/http/request/body";
import { companyScope } from "../../../kit/http/request/company-scope";
import { isForm, mediaTypeOf } from "../../../kit/http/request/form";
import { parse } from "../../../kit/http/request/parse";
import { invalid } from "../../../kit/problem";
import { limitByIp, runConcurrentlyWithLimit } from "../../caller/client/limits";
import { isRedirectAllowed, parseRedirect } from "../../company/redirects/redirect-target";
import { isMagicLinkEffective } from "../../company/sign-in-methods/sign-in-methods";
import type { IdentityContext, IdentityService } from "../../http";
import { Problem } from "../../problem";
import { chooseDelivery } from "../completion/delivery";
import { limitLinkRequest } from "../link-requests/magic-link-limit";
import { hashAddress, readLinkContext, storeLinkRequest } from "../link-requests/magic-link-request";
import { handleLinkForm, languageOf } from "./link-form";
import { readRequestingBrowser } from "./requesting-browser";

const REQUESTED_RESPONSE = {
  ok: true,
  message: "If this address can sign in, a message with a sign-in link is on its way.",
} as const;

/** Mounts the endpoint that sends a sign-in link. */
export function mountMagicLinkRequest(service: IdentityService): void {
  service.route(
    {
      method: "post",
      path: "/api/v1/magic-link/request",
      summary: "Send a sign-in link",
      tags: ["Magic link"],
      description: "The form of the sign-in page gets HTML pages as responses.",
      describe: () => ({
        request: {
          query: companyQuery.unwrap(),
          body: {
            required: true,
            content: {
              "application/json": { schema: linkRequestBody.unwrap() },
              "application/x-www-form-urlencoded": { schema: linkRequestForm.unwrap() },
            },
          },
        },
        responses: {
          200: {
            description: "The same response for every address; an HTML page for the form",
            content: {
              "application/json": media(linkRequestedSchema),
              "text/html": media(lazySchema(() => z.string())),
            },
          },
          ...problemResponses(identityErrors, [
            "validation_failed",
            "redirect_not_allowed",
            "magic_link_disabled",
            "csrf_failed",
            "payload_too_large",
            "unsupported_media_type",
            "rate_limited",
            "service_unavailable",
          ]),
        },
      }),
    },
    requestLink,
  );
}

async function requestLink(c: IdentityContext): Promise<Response> {
  if (isForm(mediaTypeOf(c.req.raw))) {
    return handleLinkForm(c.get("services"), c.req.raw, (read, confirm) => acceptRequest(c, read, confirm));
  }
  const { cookie } = await acceptRequest(c, () => readJson(c.req.raw));
  if (cookie !== null) c.header("set-cookie", cookie);
  return c.json(REQUESTED_RESPONSE);
}

/**
 * Validates and stores a link request (docs/specification/sign-in.md#link-request-checks). Checks the rate limit of the
 * client address while it reads the body and the rows, and the other rate limits before it stores the request. `confirm` is
 * the CSRF check of a form.
 */
async function acceptRequest(
  c: IdentityContext,
  readBody: () => Promise<Record<string, unknown>>,
  confirm?: () => void,
): Promise<{ company: CompanyRow; cookie: string | null }> {
  const services = c.get("services");
  const limit = limitByIp(services, c.req.raw, "magic-link", services.settings.rates.magicLink);
  const request = await runConcurrentlyWithLimit(limit, async () => validateRequest(c, await readBody(), confirm));
  await limitLinkRequest(services, request.company.id, await hashAddress(services, personalAddress(request.email)));
  const { requestingBrowser: from, cookie } = await readRequestingBrowser(
    services,
    c.req.raw,
    services.settings.magicLinkMs,
  );
  await storeLinkRequest(services, { ...request, requestingBrowser: from }, services.afterResponse);
  return { company: request.company, cookie };
}

/** Runs the checks that come between the rate limits, in the specified order, and returns the values to store. */
async function validateRequest(c: IdentityContext, body: Record<string, unknown>, confirm?: () => void) {
  const services = c.get("services");
  const { settings } = services;
  const companyId = companyScope({ query: c.req.query("company_id"), body: body.company_id });
  confirm?.();
  const email = typeof body.email === "string" ? canonicalAddress(body.email).slice(0, 254) : "";
  const target = typeof body.redirect_to === "string" ? parseRedirect(body.redirect_to) : null;
  const context = await readLinkContext(services, { companyId, email, origin: target?.origin ?? "" });
  const { company, user, hasRule } = context;
  if (!isMagicLinkEffective(services, company)) throw new Problem("magic_link_disabled");
  const fields = parse(linkRequestSchema, body);
  if (!target) throw invalid({ redirect_to: ["invalid"] });
  const delivery = chooseDelivery(fields.token_delivery, fields.code_challenge, settings.tokenDelivery);
  if (!isRedirectAllowed(target, context.isListed, settings.debug)) throw new Problem("redirect_not_allowed");
  return {
    company,
    user,
    hasRule,
    email: fields.email,
    redirectTo: target.href,
    tokenDelivery: delivery,
    codeChallenge: fields.code_challenge ?? null,
    language: languageOf(fields.language),
    clientTimezone: fields.client_timezone ?? "",
    clientDeviceId: fields.client_device_id ?? "",
  };
}

import type { FieldErrors } from "../../../schemas/errors";
import { companyQuery } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import { linkRequestBody, linkRequestedSchema, linkRequestSchema } from "../../../schemas/identity/magic-link";
import { readJson } from "../../kit/http/body";
import { companyScope } from "../../kit/http/company-scope";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi";
import { parse } from "../../kit/http/parse";
import { invalid, Problem } from "../../kit/problem";
import type { IdentityContext, IdentityService } from "../http";
import { attemptMail } from "../jobs/retry-mail";
import { limitByIp, limitLinkRequest } from "../rules/limits";
import { hashAddress, isMagicLinkEffective, readLinkContext, storeLinkRequest } from "../rules/magic-link";
import { isRedirectAllowed, parseRedirect } from "../rules/redirect";

const answer = {
  ok: true,
  message: "If this address can sign in, a message with a sign-in link is on its way.",
} as const;

/** Mounts the request for a sign-in link (identity details 2.1). */
export function mountMagicLinkRequest(service: IdentityService): void {
  service.route(
    {
      method: "post",
      path: "/api/v1/magic-link/request",
      summary: "Send a sign-in link",
      tags: ["Magic link"],
      request: { query: companyQuery, body: jsonBody(linkRequestBody) },
      responses: {
        200: jsonResponse(linkRequestedSchema, "The same answer for every address"),
        ...problemResponses(identityErrors, [
          "validation_failed",
          "redirect_not_allowed",
          "magic_link_disabled",
          "payload_too_large",
          "unsupported_media_type",
          "rate_limited",
          "service_unavailable",
        ]),
      },
    },
    requestLink,
  );
}

async function requestLink(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  const { settings } = services;
  await limitByIp(services, c.req.raw, "magic-link", settings.rates.magicLink);
  const body = await readJson(c.req.raw);
  const companyId = companyScope({ query: c.req.query("company_id"), body: body.company_id });
  const email = typeof body.email === "string" ? body.email.trim().toLowerCase().slice(0, 254) : "";
  const target = typeof body.redirect_to === "string" ? parseRedirect(body.redirect_to) : null;
  const context = await readLinkContext(services, { companyId, email, origin: target?.origin ?? "" });
  if (!isMagicLinkEffective(services, context.company)) throw new Problem("magic_link_disabled");
  const fields = parse(linkRequestSchema, body);
  if (!target) throw invalid({ redirect_to: ["invalid"] });
  const delivery = deliveryOf(fields.token_delivery, fields.code_challenge, settings.tokenDelivery);
  if (!isRedirectAllowed(target, context.isListed, settings.debug)) throw new Problem("redirect_not_allowed");
  await limitLinkRequest(services, companyId, await hashAddress(services, fields.email));
  const request = {
    company: context.company,
    person: context.person,
    email: fields.email,
    redirectTo: target.href,
    tokenDelivery: delivery,
    codeChallenge: fields.code_challenge ?? null,
    language: languageOf(fields.language),
    clientTimezone: fields.client_timezone ?? "",
    clientDeviceId: fields.client_device_id ?? "",
  };
  await storeLinkRequest(services, request, (mailId) => services.waitUntil(attemptMail(services, mailId)));
  return c.json(answer);
}

/** A request may ask for the safer `code`, never for `fragment` against the setting; a challenge forces `code`. */
function deliveryOf(
  asked: "code" | "fragment" | null | undefined,
  challenge: string | null | undefined,
  setting: "code" | "fragment",
): "code" | "fragment" {
  const errors: FieldErrors = { token_delivery: ["not_allowed"] };
  if (asked === "fragment" && setting !== "fragment") throw invalid(errors);
  if (challenge) return "code";
  return asked ?? setting;
}

/** `fr`, `fr-FR`, `FR_ca` mean fr; unknown tags are ignored. */
function languageOf(tag: string | null | undefined): "en" | "fr" | null {
  const primary = tag?.trim().toLowerCase().split(/[-_]/)[0];
  return primary === "en" || primary === "fr" ? primary : null;
}

import * as z from "zod";
import { companyQuery } from "../../../schemas/identity/company";
import { identityErrors } from "../../../schemas/identity/errors";
import {
  linkRequestBody,
  linkRequestedSchema,
  linkRequestForm,
  linkRequestSchema,
} from "../../../schemas/identity/magic-link";
import { lazySchema } from "../../../schemas/lazy-schema";
import { media, problemResponses } from "../../kit/http/openapi/responses";
import { readJson } from "../../kit/http/request/body";
import { companyScope } from "../../kit/http/request/company-scope";
import { isForm, mediaTypeOf, readForm } from "../../kit/http/request/form";
import { parse } from "../../kit/http/request/parse";
import { invalid } from "../../kit/problem";
import { besideLimit, limitByIp } from "../caller/limits";
import { isMagicLinkEffective } from "../companies/sign-in-methods";
import type { IdentityContext, IdentityService } from "../http";
import { Problem } from "../problem";
import { isRedirectAllowed, parseRedirect } from "../redirects/redirect-target";
import { checkCsrf } from "../sign-in/csrf";
import { chooseDelivery } from "../sign-in/delivery";
import { pageLanguage } from "../sign-in/page";
import { asProblem, signInProblem } from "../sign-in/page-answer";
import { linkSentPage } from "../sign-in/sign-in-page";
import { limitLinkRequest } from "./magic-link-limit";
import { hashAddress, readLinkContext, storeLinkRequest } from "./magic-link-request";

const ANSWER = {
  ok: true,
  message: "If this address can sign in, a message with a sign-in link is on its way.",
} as const;

/** Mounts the request for a sign-in link. */
export function mountMagicLinkRequest(service: IdentityService): void {
  service.route(
    {
      method: "post",
      path: "/api/v1/magic-link/request",
      summary: "Send a sign-in link",
      tags: ["Magic link"],
      description: "The form of the sign-in page is answered with pages.",
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
            description: "The same answer for every address; to the form as a page",
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
  if (isForm(mediaTypeOf(c.req.raw))) return requestLinkByForm(c);
  await acceptRequest(c, () => readJson(c.req.raw));
  return c.json(ANSWER);
}

/** The form of the sign-in page; it is answered with pages only. */
async function requestLinkByForm(c: IdentityContext): Promise<Response> {
  const services = c.get("services");
  let language = pageLanguage(null, c.req.header("accept-language"));
  let csrf = "";
  const readFields = async () => {
    const form = await readForm(c.req.raw);
    language = languageOf(form.get("language")) ?? language;
    csrf = form.get("csrf_token") ?? "";
    const { company_id: company, ...fields } = Object.fromEntries(form);
    // Form values are text; the company is an integer in every body.
    const companyId =
      company === undefined ? {} : { company_id: /^[0-9]{1,15}$/.test(company) ? Number(company) : company };
    return { ...fields, ...companyId };
  };
  try {
    await acceptRequest(c, readFields, () => checkCsrf(c.req.raw, csrf));
    return linkSentPage(language);
  } catch (error) {
    return signInProblem(language, asProblem(services, error));
  }
}

/**
 * Counts the client address while body and facts are read, judges the request, counts it and stores it
 * (docs/specification/sign-in.md#checks-of-a-link-request). `confirm` is the check of a form, which stands behind its shape.
 */
async function acceptRequest(
  c: IdentityContext,
  readBody: () => Promise<Record<string, unknown>>,
  confirm?: () => void,
): Promise<void> {
  const services = c.get("services");
  const limit = limitByIp(services, c.req.raw, "magic-link", services.settings.rates.magicLink);
  const request = await besideLimit(limit, async () => judgeRequest(c, await readBody(), confirm));
  await limitLinkRequest(services, request.company.id, await hashAddress(services, request.email));
  await storeLinkRequest(services, request, services.afterAnswer);
}

/** The checks between the counts, in their order: what shall be stored. */
async function judgeRequest(c: IdentityContext, body: Record<string, unknown>, confirm?: () => void) {
  const services = c.get("services");
  const { settings } = services;
  const companyId = companyScope({ query: c.req.query("company_id"), body: body.company_id });
  confirm?.();
  const email = typeof body.email === "string" ? body.email.trim().toLowerCase().slice(0, 254) : "";
  const target = typeof body.redirect_to === "string" ? parseRedirect(body.redirect_to) : null;
  const context = await readLinkContext(services, { companyId, email, origin: target?.origin ?? "" });
  const { company, person, hasRule } = context;
  if (!isMagicLinkEffective(services, company)) throw new Problem("magic_link_disabled");
  const fields = parse(linkRequestSchema, body);
  if (!target) throw invalid({ redirect_to: ["invalid"] });
  const delivery = chooseDelivery(fields.token_delivery, fields.code_challenge, settings.tokenDelivery);
  if (!isRedirectAllowed(target, context.isListed, settings.debug)) throw new Problem("redirect_not_allowed");
  return {
    ...{ company, person, hasRule },
    email: fields.email,
    redirectTo: target.href,
    tokenDelivery: delivery,
    codeChallenge: fields.code_challenge ?? null,
    language: languageOf(fields.language),
    clientTimezone: fields.client_timezone ?? "",
    clientDeviceId: fields.client_device_id ?? "",
  };
}

/** `fr`, `fr-FR`, `FR_ca` mean fr; unknown tags are ignored. */
function languageOf(tag: string | null | undefined): "en" | "fr" | null {
  const primary = tag?.trim().toLowerCase().split(/[-_]/)[0];
  return primary === "en" || primary === "fr" ? primary : null;
}

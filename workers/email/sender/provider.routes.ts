import * as z from "zod";
import { emailErrors } from "../../../schemas/email/errors";
import {
  providerInputSchema,
  providerSchema,
  testSendInputSchema,
  testSentSchema,
} from "../../../schemas/email/provider";
import { type AdminCaller, limitMutation, requireAdmin } from "../../kit/auth/caller";
import { requireOwner } from "../../kit/auth/role";
import { jsonBody, jsonResponse, problemResponses } from "../../kit/http/openapi/responses";
import { readLateBody } from "../../kit/http/request/body";
import { choosePageLanguage } from "../../kit/http/request/page-language";
import { parse } from "../../kit/http/request/parse";
import { resolveOverHttps } from "../../kit/net/dns";
import { invalid, Problem } from "../../kit/problem";
import type { EmailContext, EmailService } from "../http";
import { ringWaitingLater } from "../queue/waiting";
import { readAddress } from "../recipients/address";
import { limitTestSend } from "../recipients/address-filter";
import type { EmailServices } from "../services";
import { buildProviderRow } from "./provider";
import { presentProvider } from "./provider.present";
import { deleteProvider, findProvider, findProviderState, type ProviderState, storeProvider } from "./provider.store";
import { readProviderChange } from "./provider-input";
import { fingerprintPlatform } from "./sender";
import { chooseTestSender, sendTestMail } from "./test-send";

const MAX_TRIES = 3;

const security = [{ bearerAuth: [] }];
const tags = ["Provider"];
const request = { query: z.object({ company_id: z.string().optional() }) };
const readErrors = ["validation_failed", "unauthorized", "company_mismatch", "forbidden", "service_unavailable"];
const writeErrors = [...readErrors, "pat_read_only", "rate_limited"];
const bodyErrors = [...writeErrors, "payload_too_large", "unsupported_media_type"];

/** `/api/v1/provider`: who sends the mail of a company (Document 2, email details 6.1 and 6.2). */
export function mountProvider(service: EmailService): void {
  const path = "/api/v1/provider";
  const shown = jsonResponse(providerSchema, "The provider; secrets are shown as hints only");
  service.route(
    {
      method: "get",
      path,
      tags,
      security,
      summary: "The provider of a company",
      request,
      responses: { 200: shown, ...problemResponses(emailErrors, readErrors) },
    },
    show,
  );
  service.route(
    {
      method: "put",
      path,
      tags,
      security,
      summary: "Configure the provider; missing fields keep their value",
      request: { ...request, body: jsonBody(providerInputSchema) },
      responses: {
        200: shown,
        ...problemResponses(emailErrors, [
          ...bodyErrors,
          "provider_not_available",
          "platform_from_refused",
          "company_smtp_refused",
          "provider_host_not_public",
          "conflict",
        ]),
      },
    },
    save,
  );
  service.route(
    {
      method: "delete",
      path,
      tags,
      security,
      summary: "Forget the provider and its credentials",
      request,
      responses: { 204: { description: "There is no provider now" }, ...problemResponses(emailErrors, writeErrors) },
    },
    remove,
  );
  service.route(
    {
      method: "post",
      path: `${path}/test-send`,
      tags,
      security,
      summary: "Send a test message by the sender of sign-in mail",
      request: { ...request, body: { ...jsonBody(testSendInputSchema), required: false } },
      responses: {
        200: jsonResponse(testSentSchema, "The provider accepted the message"),
        ...problemResponses(emailErrors, [
          ...bodyErrors,
          "provider_not_configured",
          "platform_sender_not_allowed",
          "provider_test_failed",
        ]),
      },
    },
    testSend,
  );
}

async function show(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const companyId = requireOwner(caller, { query: c.req.query("company_id") });
  const platform = await fingerprintPlatform(services.settings, await services.keys());
  const state = await findProviderState(services.db, companyId, platform);
  return c.json(presentProvider(companyId, state, services.settings));
}

async function save(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const body = await readLateBody(c.req.raw);
  const companyId = requireOwner(caller, { query: c.req.query("company_id"), body: body.companyId });
  await limitMutation(services, caller);
  const state = await saveProvider(services, companyId, body.take());
  return c.json(presentProvider(companyId, state, services.settings));
}

/** Judges the body against the stored row and stores the result; a row that changed meanwhile is judged anew. */
async function saveProvider(
  services: EmailServices,
  companyId: number,
  body: Record<string, unknown>,
): Promise<ProviderState> {
  const { db, settings } = services;
  const resolve = (name: string) => resolveOverHttps(name, settings.dnsResolverUrl, services.fetch);
  const keys = await services.keys();
  const platform = await fingerprintPlatform(settings, keys);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const stored = await findProvider(db, companyId);
    const change = await readProviderChange(companyId, body, stored, settings, resolve);
    const row = await buildProviderRow(companyId, change, stored, keys, services.clock.now());
    const hasNewCredentials = change.credentials !== null;
    const state = await storeProvider(db, row, stored?.updated_at ?? null, hasNewCredentials, platform);
    if (state === null) continue;
    if (hasNewCredentials) ringWaitingLater(services, ["auth", "transactional", "bulk"], companyId);
    return state;
  }
  throw new Problem("conflict");
}

async function remove(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const companyId = requireOwner(caller, { query: c.req.query("company_id") });
  await limitMutation(services, caller);
  await deleteProvider(services.db, companyId);
  return c.body(null, 204);
}

async function testSend(c: EmailContext): Promise<Response> {
  const services = c.get("services");
  const caller = await requireAdmin(c.req.raw, services);
  const body = await readLateBody(c.req.raw, { optional: true });
  const companyId = requireOwner(caller, { query: c.req.query("company_id"), body: body.companyId });
  await limitMutation(services, caller);
  await limitTestSend(services, companyId);
  const to = readTestRecipient(caller, body.take());
  const sender = await chooseTestSender(services, companyId, await findProvider(services.db, companyId));
  const language = choosePageLanguage(c.req.header("accept-language"));
  const providerMessageId = await sendTestMail(services, sender, { companyId, to, language });
  return c.json({ status: "sent", provider: sender.provider, provider_message_id: providerMessageId });
}

/** The address of the body, default the caller's; only staff may name another (email details 6.2). */
function readTestRecipient(caller: AdminCaller, body: Record<string, unknown>): string {
  const { to = caller.email } = parse(testSendInputSchema, body);
  if (to === "") throw invalid({ to: ["required"] });
  const address = readAddress(to);
  if (address === null) throw invalid({ to: ["invalid_format"] });
  if (!caller.isStaff && address.toLowerCase() !== caller.email.trim().toLowerCase()) throw new Problem("forbidden");
  return address;
}

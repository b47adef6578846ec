import {
  domainHealthSchema,
  providerInputSchema,
  providerSchema,
  testSendInputSchema,
  testSentSchema,
} from "../../../../schemas/email/delivery/provider";
import { companyQuery } from "../../../../schemas/query";
import { actionEntry, actorOf, changeEntry } from "../../../kit/audit/audit";
import { bodyOf } from "../../../kit/http/call";
import { jsonResponse } from "../../../kit/http/openapi/responses";
import { choosePageLanguage } from "../../../kit/http/request/page-language";
import { parse } from "../../../kit/http/request/parse";
import type { EmailService } from "../../http";
import { fingerprintPlatform } from "../sender/sender";
import { currentHealth, presentDomainHealth } from "../sender-domains/domain-health";
import { proofRecord } from "../sender-domains/domain-proof";
import { findConfigurationError } from "./configuration";
import { saveProvider } from "./provider";
import { presentProvider } from "./provider.present";
import { deleteProvider, findProvider, readState, selectState } from "./provider.store";
import {
  chooseTestSender,
  limitTestSend,
  neutralMail,
  presentTestSent,
  readTestRecipient,
  requireAllowedSender,
  sendTestMail,
} from "./test-send";

const PATH = "/api/v1/provider";

const common = {
  path: PATH,
  tags: ["Provider"],
  role: "owner",
  query: companyQuery,
} as const;

/** `/api/v1/provider`: the mail provider of a company. */
export function mountProvider({ call }: EmailService): void {
  const providerResponse = jsonResponse(providerSchema, "The provider; secrets appear as hints only");
  call(
    { ...common, method: "get", summary: "Get the provider of a company", responses: { 200: providerResponse } },
    async ({ c, services, scope: companyId }) => {
      const { dbOf, settings, keys } = services;
      const platform = await fingerprintPlatform(settings, await keys());
      const state = readState(await dbOf(companyId).batch(selectState(companyId, platform)));
      const error = await findConfigurationError(services, state.row);
      const record = await proofRecord(state.row, await keys());
      return c.json(presentProvider(companyId, state, { error, record }, settings));
    },
  );
  call(
    {
      ...common,
      method: "put",
      summary: "Configure the provider; missing fields keep their values",
      // saveProvider validates the body against the stored provider.
      body: { schema: providerInputSchema, read: (raw) => raw },
      responses: { 200: providerResponse },
      errorCodes: [
        "provider_not_available",
        "platform_from_refused",
        "company_smtp_refused",
        "provider_not_configured",
        "provider_host_not_public",
        "conflict",
      ],
    },
    async ({ c, services, caller, scope: companyId, body }) => {
      const state = await saveProvider(services, companyId, body, actorOf(caller));
      const { row } = state;
      if (row !== null) services.waitUntil(currentHealth(services, row));
      const error = await findConfigurationError(services, row);
      const record = await proofRecord(row, await services.keys());
      return c.json(presentProvider(companyId, state, { error, record }, services.settings));
    },
  );
  call(
    {
      ...common,
      method: "get",
      path: `${PATH}/domain-health`,
      summary:
        "Check the DNS records of the company's sending domain; results are refreshed daily and after each change",
      reads: ({ companyId }) => ({ provider: findProvider({ companyId }) }),
      responses: { 200: jsonResponse(domainHealthSchema, "The checks; empty without a provider") },
    },
    async ({ c, services, results: { provider } }) => {
      const health = provider.first === null ? null : await currentHealth(services, provider.first);
      return c.json(presentDomainHealth(health));
    },
  );
  call(
    {
      ...common,
      method: "delete",
      summary: "Delete the provider and its credentials",
      responses: { 204: { description: "The company has no provider" } },
    },
    async ({ c, services, caller, scope: companyId }) => {
      const now = services.clock.now();
      const entry = changeEntry({
        actor: actorOf(caller),
        companyId,
        action: "provider.deleted",
        target: "provider",
        now,
      });
      await deleteProvider(services.dbOf(companyId), companyId, entry);
      return c.body(null, 204);
    },
  );
  call(
    {
      ...common,
      method: "post",
      path: `${PATH}/test-send`,
      summary: "Send a test message through the company's provider",
      limit: ({ services, scope: companyId }) => limitTestSend(services, companyId, "provider"),
      body: {
        ...bodyOf(testSendInputSchema, { optional: true }),
        read: (raw, { caller }) => readTestRecipient(caller, parse(testSendInputSchema, raw).to),
      },
      responses: { 200: jsonResponse(testSentSchema, "The provider accepted the message") },
      errorCodes: ["provider_not_configured", "platform_sender_not_allowed", "provider_test_failed"],
    },
    async ({ c, services, caller, scope: companyId, body: to }) => {
      const sender = await chooseTestSender(services, companyId);
      requireAllowedSender(services.settings, companyId, sender);
      const { scope, provider } = sender;
      const test = { action: "provider.tested", target: "provider", changes: { scope, provider } };
      const entry = actionEntry({ ...test, actor: actorOf(caller), companyId, now: services.clock.now() });
      await services.dbOf(companyId).run(entry);
      const language = choosePageLanguage(c.req.header("accept-language"));
      const mail = { ...neutralMail(language), companyId, to };
      const providerMessageId = await sendTestMail(services, sender, mail);
      return c.json(presentTestSent(sender, providerMessageId));
    },
  );
}

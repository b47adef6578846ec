import { eq } from "drizzle-orm";
import { rules, suppressions, template_versions, unsubscribes } from "../../../db/email/schema";
import { createWebLink } from "../../../workers/email/audience/web-links/web-link";
import { keysOf } from "../../../workers/email/keys";
import { settingsOf } from "../../../workers/email/settings";
import { bytesToHex } from "../../../workers/kit/crypto/encoding";
import { hmacHex, sha256 } from "../../../workers/kit/crypto/hash";
import type { Facts } from "../http/route-calls";
import { storeJobRun } from "../jobs/jobs";
import { webhookFacts } from "../webhooks/operations";
import { broadcastFacts } from "./audience-operations";
import { contentFacts } from "./content-operations";
import { storeDraftBroadcast } from "./draft-broadcasts";
import { createCompany, createKey, magicLink, startEmail, testEnv } from "./email";
import { imagesOfTests } from "./images";
import { directMailFacts, limitedBearer, messageFacts } from "./message-operations";
import { uniqueAddress } from "./messages";
import { insertRow, readRows } from "./rows";
import { libraryId, storedRule } from "./rules";
import { signUpFacts } from "./sign-up-operations";

/**
 * Starts an email service with two companies and their users. Also returns the facts about each operation that the
 * route check needs.
 */
export async function describeEmailOperations() {
  const [company, foreignCompany] = [createCompany(), createCompany()];
  const email = await startEmail({
    vars: {
      API_MUTATION_RATE_LIMIT: "1000000/min",
      EMAIL_PLATFORM_COMPANY_IDS: String(company),
      // All requests of the check come from one network address.
      EMAIL_NEWSLETTER_IP_PER_HOUR: "0",
      EMAIL_WRONG_KEY_RATE_LIMIT: "1000000/min",
    },
  });
  const { key } = await createKey({ service: "identity", companies: [company] });
  const owner = { companyId: company, isOwner: true, userId: company };
  const revoked = await email.token(owner);
  email.revoke(revoked);
  return {
    email,
    company,
    foreignCompany,
    bearers: {
      owner: await email.token(owner),
      member: await email.token({ companyId: company, userId: company + 1_000_000_000 }),
      staff: await email.token({ isStaff: true, userId: company + 2_000_000_000 }),
      foreignOwner: await email.token({ companyId: foreignCompany, isOwner: true, userId: foreignCompany }),
      service: key,
      readOnly: await email.token({ ...owner, pat: { readOnly: true } }),
      expired: await email.token(owner, { exp: Math.floor(Date.now() / 1000) - 3600 }),
      revoked,
    },
    facts: {
      ...sendFacts(company, foreignCompany),
      ...adminFacts(company, foreignCompany),
      ...staffFacts(company),
      ...webhookFacts(company, foreignCompany, "email.message.sent", { knowsCallers: false }),
    },
  };
}

/** Facts about routes that send mail, and about routes without credentials. */
function sendFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const service = { role: "service", limitedBearer } as const;
  // Only the auth lane allows all fields.
  const { to: _, variables, ...message } = magicLink(company, { ttl_seconds: 60, use_platform_sender: true });
  const unsubscribe = { role: "open", companyRow: () => createUnsubscribeToken(company), foreign: null } as const;
  // Only signed requests succeed; the tests in test/email/provider-events send them.
  const webhook = {
    role: "open" as const,
    companyRow: () => "transactional",
    foreign: null,
    maxBytes: 1_048_576,
    answers: [401],
    isSigned: true,
    body: () => ({ type: "email.opened", data: {} }),
  };
  return {
    "get /api/v1/health": { role: "open" },
    "get /static/logos/{sha256}": { role: "open", companyRow: storeLogoBytes, foreign: null },
    "get /api/v1/branding/page": service,
    "get /u/{token}": unsubscribe,
    "post /u/{token}": unsubscribe,
    "get /v/{token}": { role: "open", companyRow: () => createWebToken(company), foreign: null },
    ...signUpFacts(company),
    "post /api/v1/provider-webhooks/api/{stream}": webhook,
    "post /api/v1/provider-webhooks/ses/{stream}": webhook,
    "post /api/v1/provider-webhooks/postmark/{stream}": webhook,
    "post /api/v1/send": {
      ...service,
      maxBytes: 262_144,
      body: () => ({ ...message, variables, to: [{ email: uniqueAddress(), user_id: 7 }] }),
    },
    "post /api/v1/send/batch": {
      ...service,
      maxBytes: 8_388_608,
      reported: ["items"],
      body: () => ({ ...message, items: [{ to: { email: uniqueAddress() }, variables }] }),
    },
    ...directMailFacts(company, foreignCompany),
    "post /api/v1/events": {
      ...service,
      maxBytes: 262_144,
      body: () => ({
        company_id: company,
        service: "identity",
        event_type: "identity.auth.magic_link.requested",
        language: "fr",
        ttl_seconds: 60,
        payload: variables,
        recipients: [{ email: uniqueAddress(), user_id: 7, language: "en" }],
      }),
    },
  };
}

/** Facts about routes for the owner of a company. */
function adminFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const rule = { ...admin, companyRow: () => storeRule(company), foreign: () => storeRule(foreignCompany) };
  const apiKeyOf = async (owner: number) => String((await createKey({ service: "shop", owner })).id);
  const apiKey = { ...admin, companyRow: () => apiKeyOf(company), foreign: () => apiKeyOf(foreignCompany) };
  return {
    "get /api/v1/catalog": { ...admin, limitedBearer },
    ...messageFacts(company, foreignCompany),
    "get /api/v1/branding": admin,
    "put /api/v1/branding": { ...admin, body: () => ({ primary_color: "#0a5c45", footer_text: "Aster Labs" }) },
    // Uploads are limited per hour and company, and the route check exceeds that limit.
    "put /api/v1/branding/logo": {
      ...admin,
      isLimited: true,
      bytes: imagesOfTests.png,
      headers: { "content-type": "image/png" },
    },
    "delete /api/v1/branding/logo": admin,
    "get /api/v1/provider": admin,
    "put /api/v1/provider": {
      ...admin,
      body: () => ({ provider: "api", from_email: "hello@aster.example", credentials: { api_key: "key" } }),
    },
    "get /api/v1/provider/domain-health": admin,
    "delete /api/v1/provider": admin,
    // The company has no working provider; provider-test-send.test.ts tests successful sends.
    "post /api/v1/provider/test-send": { ...admin, body: () => ({}), answers: [409, 502], isLimited: true },
    "get /api/v1/suppressions": admin,
    "post /api/v1/suppressions": { ...admin, body: () => ({ email: uniqueAddress() }) },
    "delete /api/v1/suppressions/{id}": {
      ...admin,
      companyRow: () => storeSuppression(company),
      foreign: () => storeSuppression(foreignCompany),
    },
    "get /api/v1/decisions": admin,
    "get /api/v1/rules": admin,
    "post /api/v1/rules": {
      ...admin,
      body: async () => ({
        event_type: "identity.user.created",
        service: "identity",
        enabled: true,
        recipient_mode: "static",
        static_recipients: [uniqueAddress()],
        language: "fr",
        content: { library_id: await libraryId() },
      }),
      // The number of rules per company is limited, and the route check exceeds that limit.
      answers: [201, 409],
    },
    "get /api/v1/rules/{id}": rule,
    "patch /api/v1/rules/{id}": {
      ...rule,
      body: () => ({
        enabled: false,
        recipient_mode: "static",
        static_recipients: [uniqueAddress()],
        language: "fr",
      }),
    },
    "delete /api/v1/rules/{id}": rule,
    "get /api/v1/api-keys": admin,
    // The number of keys per company is limited, and the route check exceeds that limit.
    "post /api/v1/api-keys": {
      ...admin,
      body: () => ({ name: "Shop", allowed_template_prefixes: ["shop."], direct_content: true }),
      answers: [201, 409],
    },
    "post /api/v1/api-keys/{id}/rotate": { ...apiKey, body: () => ({ overlap_hours: 1 }) },
    "delete /api/v1/api-keys/{id}": apiKey,
    "get /api/v1/unsubscribes": admin,
    "delete /api/v1/unsubscribes/{id}": {
      ...admin,
      companyRow: () => storeUnsubscribe(company),
      foreign: () => storeUnsubscribe(foreignCompany),
    },
    "get /api/v1/lanes": admin,
    "get /api/v1/stats": admin,
    "get /api/v1/audit": admin,
    "get /api/v1/overview": { ...admin, dependentQueries: ["all"] },
    "post /api/v1/privacy/export": { ...admin, body: () => ({ email: uniqueAddress() }) },
    ...contentFacts(company, foreignCompany),
    ...broadcastFacts(company, foreignCompany),
  };
}

/** Facts about routes for staff only. */
function staffFacts(company: number): Record<string, Facts> {
  const staff = { role: "staff" } as const;
  const lane = {
    ...staff,
    companyRow: () => "bulk",
    foreign: null,
    search: `company_id=${company}`,
    body: () => ({ reason: "Outage" }),
  };
  const client = {
    ...staff,
    companyRow: async () => String((await createKey({ service: "check" })).id),
    foreign: null,
  };
  return {
    "post /api/v1/lanes/{lane}/pause": lane,
    "post /api/v1/lanes/{lane}/resume": lane,
    "get /api/v1/service-clients": staff,
    "post /api/v1/service-clients": { ...staff, body: () => ({ service: "check", name: "Check" }) },
    "post /api/v1/service-clients/{id}/revoke": client,
    "post /api/v1/service-clients/{id}/rotate": { ...client, body: () => ({ overlap_hours: 1 }) },
    "get /api/v1/metrics": { role: "owner" },
    "get /api/v1/scheduled-jobs": { ...staff, isTimed: true },
    "get /api/v1/scheduled-jobs/{job}/runs": { ...staff, companyRow: () => "sweep_email_queue", foreign: null },
    "get /api/v1/scheduled-jobs/runs/{id}": {
      ...staff,
      companyRow: () => storeJobRun("sweep_email_queue"),
      foreign: null,
    },
    "post /api/v1/management/{command}": {
      ...staff,
      companyRow: () => "sweep_email_queue",
      needsNoDatabase: true,
      foreign: null,
      body: () => ({ flags: { dry_run: true } }),
    },
    "post /api/v1/privacy/erase": { ...staff, body: () => ({ company_id: company, email: uniqueAddress() }) },
  };
}

async function storeLogoBytes(): Promise<string> {
  const name = bytesToHex(await sha256(imagesOfTests.png));
  await testEnv.FILES.put(`logos/${name}`, imagesOfTests.png, { httpMetadata: { contentType: "image/png" } });
  return name;
}

async function createUnsubscribeToken(company: number): Promise<string> {
  const pepper = (await keysOf(testEnv)).peppers[0] ?? new Uint8Array();
  const address = await hmacHex(pepper, uniqueAddress());
  return `${company}.bulk.${address}.${await hmacHex(pepper, `${company}|${address}|bulk`)}`;
}

async function createWebToken(company: number): Promise<string> {
  const { template_id } = await storeDraftBroadcast(company);
  const [version] = await readRows(template_versions, eq(template_versions.template_id, template_id));
  const link = await createWebLink(settingsOf(testEnv), { companyId: company, versionId: version?.id ?? 0 });
  return link.slice(link.lastIndexOf("/") + 1);
}

async function storeRule(company: number): Promise<string> {
  return String((await insertRow(rules, storedRule(company))).id);
}

async function storeSuppression(company: number): Promise<string> {
  const columns = { company_id: company, email_hmac: crypto.randomUUID(), created_at: 1 };
  return String((await insertRow(suppressions, { ...columns, email_masked: "***", reason: "manual" })).id);
}

async function storeUnsubscribe(company: number): Promise<string> {
  const columns = { company_id: company, email_hmac: crypto.randomUUID(), created_at: 1 };
  return String((await insertRow(unsubscribes, { ...columns, category: "bulk", source: "page" })).id);
}

import { directIdOf } from "../../../db/email/conditions/direct";
import { direct_contents, event_types, messages, rules, suppressions, unsubscribes } from "../../../db/email/schema";
import { uuidOf } from "../../../workers/email/intake/emails/email-id";
import { keysOf } from "../../../workers/email/keys";
import { bytesToHex } from "../../../workers/kit/crypto/encoding";
import { hmacHex, sha256 } from "../../../workers/kit/crypto/hash";
import type { Facts } from "../http/route-calls";
import { storeJobRun } from "../jobs/jobs";
import { webhookFacts } from "../webhooks/operations";
import { paragraphDocument, storeLibraryTemplate, storeNumberedTemplate } from "./custom-templates";
import { startServices } from "./delivery";
import { createCompany, createKey, magicLink, startEmail, testEnv } from "./email";
import { imagesOfTests } from "./images";
import { uniqueAddress } from "./messages";
import { insertRow } from "./rows";
import { libraryId, storedRule } from "./rules";

/**
 * Starts an email service with two companies and their users. Also returns the facts about each operation that the
 * route check needs.
 */
export async function describeEmailOperations() {
  const [company, foreignCompany] = [createCompany(), createCompany()];
  const email = await startEmail({
    vars: { API_MUTATION_RATE_LIMIT: "1000000/min", EMAIL_PLATFORM_COMPANY_IDS: String(company) },
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

/** Requests with this invalid key are rate limited by network address. Requests with a valid key are not. */
const limitedBearer = "esk_nobody";

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
    "get /u/{token}": unsubscribe,
    "post /u/{token}": unsubscribe,
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
    ...emailFacts(company, foreignCompany),
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

/** Facts about routes in the format of Resend's API. */
function emailFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const service = { role: "service", limitedBearer } as const;
  const body = () => ({
    from: startServices().settings.defaultFrom.address,
    to: [uniqueAddress()],
    subject: "Your order",
    html: "<p>Thank you.</p>",
    reply_to: ["help@aster.example"],
    tags: [{ name: "category", value: "order" }],
  });
  const row = {
    ...service,
    companyRow: () => storeDirectMail(company),
    foreign: () => storeDirectMail(foreignCompany),
  };
  const scheduled_at = new Date(Date.now() + 2 * 3_600_000).toISOString();
  return {
    "post /api/v1/emails": { ...service, maxBytes: 8_388_608, longTexts: ["html", "text"], body },
    "post /api/v1/emails/batch": {
      ...service,
      maxBytes: 8_388_608,
      acceptsArray: true,
      body: () => ({ emails: [body()] }),
    },
    "get /api/v1/emails/{id}": row,
    "patch /api/v1/emails/{id}": { ...row, body: () => ({ scheduled_at }) },
    "post /api/v1/emails/{id}/cancel": row,
  };
}

/** Facts about routes for the owner of a company. */
function adminFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const message = {
    ...admin,
    companyRow: () => storeMessage(company),
    foreign: () => storeMessage(foreignCompany),
    // The owner of another company gets 403.
    foreignAnswer: "403 forbidden",
  };
  const rule = { ...admin, companyRow: () => storeRule(company), foreign: () => storeRule(foreignCompany) };
  const apiKeyOf = async (owner: number) => String((await createKey({ service: "shop", owner })).id);
  const apiKey = { ...admin, companyRow: () => apiKeyOf(company), foreign: () => apiKeyOf(foreignCompany) };
  return {
    "get /api/v1/catalog": { ...admin, limitedBearer },
    "get /api/v1/messages": admin,
    "get /api/v1/messages/{id}": { ...message, limitedBearer },
    "post /api/v1/messages/{id}/cancel": message,
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
    ...eventTypeFacts(company, foreignCompany),
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
    ...libraryFacts(company, foreignCompany),
  };
}

/** Facts about routes of a company's own event types. */
function eventTypeFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const input = () => ({ labels: { en: "Order placed" }, variables: [{ name: "number", value_type: "text" }] });
  const type = {
    ...admin,
    companyRow: () => storeEventType(company),
    foreign: () => storeEventType(foreignCompany),
  };
  return {
    "get /api/v1/event-types": admin,
    "post /api/v1/event-types": {
      ...admin,
      maxBytes: 262_144,
      body: () => ({ ...input(), event_type: uniqueEventType() }),
      // The number of event types per company is limited, and the route check exceeds that limit.
      answers: [201, 409],
    },
    "get /api/v1/event-types/{event_type}": type,
    "patch /api/v1/event-types/{event_type}": { ...type, maxBytes: 262_144, body: input },
    "delete /api/v1/event-types/{event_type}": type,
  };
}

/** Facts about routes of a company's template library. */
function libraryFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const input = () => ({ name: "News", subject: "News", preheader: "Read on", document: paragraphDocument("Hello") });
  const libraryTemplate = {
    ...admin,
    companyRow: async () => String((await storeLibraryTemplate(company)).id),
    foreign: async () => String((await storeLibraryTemplate(foreignCompany)).id),
  };
  const withBody = { maxBytes: 2_097_152, body: input };
  return {
    "get /api/v1/library": admin,
    "post /api/v1/library": { ...admin, ...withBody },
    "get /api/v1/library/{id}": libraryTemplate,
    "put /api/v1/library/{id}": { ...libraryTemplate, ...withBody },
    "delete /api/v1/library/{id}": libraryTemplate,
    ...templateFacts(company, foreignCompany),
  };
}

/**
 * Facts about routes of custom templates. Paths with two parameters use one value for both, so the version has the
 * template's id as its number.
 */
function templateFacts(company: number, foreignCompany: number): Record<string, Facts> {
  const admin = { role: "owner" } as const;
  const stored = async (companyId: number) => String((await storeNumberedTemplate(companyId)).id);
  const template = { ...admin, companyRow: () => stored(company), foreign: () => stored(foreignCompany) };
  const draft = { subject: "News", preheader: "Read on", document: paragraphDocument("Hello") };
  const withBody = { maxBytes: 2_097_152, body: () => draft };
  return {
    "get /api/v1/templates": admin,
    "get /api/v1/templates/{id}": template,
    "delete /api/v1/templates/{id}": template,
    "get /api/v1/templates/{id}/versions": template,
    "post /api/v1/templates/{id}/versions": { ...template, ...withBody },
    "get /api/v1/templates/{id}/versions/{number}": template,
    "post /api/v1/templates/{id}/versions/{number}/publish": template,
    "post /api/v1/templates/{id}/preview": { ...template, ...withBody, filled: ["subject", "preheader"] },
    // The company has no working provider; preview.test.ts tests successful sends.
    "post /api/v1/templates/{id}/send-test": { ...template, ...withBody, answers: [409, 502], isLimited: true },
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

/** Stores a direct mail that is scheduled in an hour, and returns its id. */
async function storeDirectMail(company: number): Promise<string> {
  const id = directIdOf(crypto.randomUUID().replaceAll("-", ""));
  const at = Date.now() + 3_600_000;
  const trace = { direct: { from: "shop@aster.example", tags: [] } };
  await insertRow(messages, { ...storedMessage(company), id, lane: "transactional", next_attempt_at: at, trace });
  await insertRow(direct_contents, { company_id: company, id, content_enc: "x", scheduled_at: at });
  return uuidOf(id);
}

async function storeMessage(company: number): Promise<string> {
  const { id } = await insertRow(messages, storedMessage(company));
  return `msg_${id}`;
}

/** Returns the row of a waiting message. */
function storedMessage(company: number): typeof messages.$inferInsert {
  return {
    id: crypto.randomUUID().replaceAll("-", ""),
    company_id: company,
    service: "identity",
    template_key: "t",
    event_type: "t",
    language: "en",
    lane: "bulk",
    category: "bulk",
    scope: "company",
    status: "queued",
    to_enc: "x",
    to_masked: "a***@example.com",
    email_hmac: "h",
    trace: {},
    request_id: "r",
    next_attempt_at: 0,
    accepted_at: Date.now(),
  };
}

async function storeRule(company: number): Promise<string> {
  return String((await insertRow(rules, storedRule(company))).id);
}

const uniqueEventType = () => `shop.${crypto.randomUUID()}`;

async function storeEventType(company: number): Promise<string> {
  const texts = { subject: "News", preheader: "", lead: "", button: "" };
  const { event_type } = await insertRow(event_types, {
    company_id: company,
    event_type: uniqueEventType(),
    labels: { en: "News", fr: "News" },
    description: { en: "", fr: "" },
    variables: [],
    default_language: "en",
    default_template: "barebone.text-only",
    texts: { en: texts, fr: texts },
    revision: crypto.randomUUID(),
    created_at: 1,
    updated_at: 1,
  });
  return event_type;
}

async function storeSuppression(company: number): Promise<string> {
  const columns = { company_id: company, email_hmac: crypto.randomUUID(), created_at: 1 };
  return String((await insertRow(suppressions, { ...columns, email_masked: "***", reason: "manual" })).id);
}

async function storeUnsubscribe(company: number): Promise<string> {
  const columns = { company_id: company, email_hmac: crypto.randomUUID(), created_at: 1 };
  return String((await insertRow(unsubscribes, { ...columns, category: "bulk", source: "page" })).id);
}

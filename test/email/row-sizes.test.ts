import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { services } from "../../workers/email/services";
import { MAX_ROW_BYTES, rowBytes } from "../support/db/row-size";
import { deliverNow } from "../support/email/deliver-now";
import { createCompany, createKey, type EmailHarness, magicLink, startEmail, testEnv } from "../support/email/email";
import { PLATFORM_SECRET, postProviderWebhook, providerEvent } from "../support/email/provider-webhooks";
import { DEPLOYED, startEvents, startForAll } from "../support/email/rules";

const { relays } = inject("mailServers");

const bySmtp = {
  EMAIL_FALLBACK_PROVIDER: "smtp",
  EMAIL_HOST: "localhost",
  EMAIL_PORT: String(relays.plain),
  EMAIL_USE_TLS: "false",
};

/** Bytes reserved for names, hosts and provider responses that are longer than in these tests. */
const RESERVE_BYTES = 75;

afterEach(() => vi.unstubAllGlobals());

it("stores an event of a sent mail in a row without an overflow page, and returns its data", async () => {
  const company = createCompany();
  const email = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: String(company), ...bySmtp } });
  const { key } = await createKey();
  const json = magicLink(company, { idempotency_key: `magic-link-${crypto.randomUUID()}` });
  expect((await email.call("/api/v1/send", { bearer: key, json })).status).toBe(202);
  const { results } = await testEnv.DB.prepare("select * from event_log where company_id = ?").bind(company).all();
  expect(results).toHaveLength(1);
  expect(rowBytes(results[0] ?? {})).toBeLessThan(MAX_ROW_BYTES - 200);
  const owner = await email.token({ companyId: company, isOwner: true });
  const list = await email.call("/api/v1/actions/event-log", { bearer: owner });
  expect(await list.json()).toMatchObject({
    results: [{ event_type: "email.message.sent", data: { to_email: "m***@example.com", lane: "auth" } }],
  });
});

const recipient = { email: "mina.schneider@example-company.com", user_id: 10_482 };
/** An id with the length of Amazon SES ids. */
const PROVIDER_ID = "0102019363a1b2c3-7f6e5d4c-3b2a-4190-8f7e-6d5c4b3a2910-000000";

const deliver = (email: EmailHarness, id: string, lane: "auth" | "transactional") =>
  deliverNow(services(email.bindings, { requestId: "r", log: silent, waitUntil: () => undefined }), [id], lane);

describe.each(["smtp", "api"] as const)("a message that was sent by %s", (transport) => {
  it.each([
    ["a sign-in mail", "auth"],
    ["a mail of an event", "transactional"],
  ] as const)(
    "is stored in a row without an overflow page, and returned with its whole trace: %s",
    async (_name, lane) => {
      vi.stubGlobal("fetch", async () => Response.json({ id: PROVIDER_ID }));
      const vars = { PROVIDER_WEBHOOK_SECRET: PLATFORM_SECRET, ...(transport === "smtp" ? bySmtp : {}) };
      const email = await startForAll(vars);
      const { create, keys, companyId, owner } = await startEvents(email);
      const idempotency_key = `${lane === "auth" ? "magic-link" : "hosting-event"}-${crypto.randomUUID()}`;
      const rule = lane === "auth" ? null : await create({ event_type: DEPLOYED });
      const event = { company_id: companyId, event_type: DEPLOYED, payload: { display_name: "Field Notes" } };
      const response =
        lane === "auth"
          ? await email.call("/api/v1/send", {
              bearer: keys.identity,
              json: magicLink(companyId, { to: [recipient], idempotency_key }),
            })
          : await email.call("/api/v1/events", {
              bearer: keys.hosting,
              json: { ...event, recipients: [recipient], idempotency_key },
            });
      expect(response.status).toBe(202);
      const { messages } = await response.json<{ messages: { id: string }[] }>();
      const id = messages[0]?.id.slice("msg_".length) ?? "";
      await deliver(email, id, lane);
      if (transport === "api")
        expect((await postProviderWebhook(email, providerEvent("delivered", id))).status).toBe(200);

      const { results } = await testEnv.DB.prepare("select * from messages where id = ?").bind(id).all();
      expect(rowBytes(results[0] ?? {})).toBeLessThan(MAX_ROW_BYTES - RESERVE_BYTES);
      const details = await email.call(`/api/v1/messages/${id}`, { bearer: owner });
      const customContent = {
        template_id: rule?.template_id,
        version: 1,
        design: "barebone.text-only",
        reason: null,
      };
      const defaultContent = { template_id: null, version: null, design: "barebone.activation", reason: "no_copy" };
      const detail = transport === "api" ? {} : { detail: expect.stringMatching(/^250 /) };
      expect(await details.json()).toMatchObject({
        status: transport === "api" ? "delivered" : "sent",
        provider_message_id: transport === "api" ? PROVIDER_ID : `msg_${id}`,
        trace: {
          rule_id: rule?.id ?? null,
          content: lane === "auth" ? { source: "default", ...defaultContent } : { source: "copy", ...customContent },
          language: { value: "en", source: "default" },
          company_name: { source: lane === "auth" ? "request" : "none" },
          sender: { scope: "platform", provider: transport, reason: "platform_company" },
          suppression: { hit: false, reason: null, lanes: [] },
          limits: expect.arrayContaining([{ name: `company_${lane}`, used: 1, limit: expect.any(Number) }]),
          delivery: [
            {
              at: expect.stringMatching(/Z$/),
              attempt: 1,
              provider: transport,
              scope: "platform",
              outcome: "accepted",
              wait_seconds: null,
              ...detail,
            },
          ],
        },
      });
    },
  );
});

const silent = { info: () => {}, note: () => {}, warn: () => {}, error: () => {}, with: () => silent };

import { describe, expect, it } from "vitest";
import { unsubscribe } from "../../workers/email/audience/unsubscribes/unsubscribe";
import { createTemplate, readNewTemplate } from "../../workers/email/authoring/library-templates/library-template";
import { saveBranding } from "../../workers/email/content/branding/branding";
import { UNCHANGED } from "../../workers/email/content/branding/branding-input";
import { deliverNow } from "../../workers/email/delivery/attempts/delivery";
import { chooseTestSender } from "../../workers/email/delivery/sender-settings/test-send";
import { submitEvent } from "../../workers/email/intake/events/event";
import { createRule, editRule, removeRule } from "../../workers/email/intake/rules/rule";
import { readNewRule } from "../../workers/email/intake/rules/rule-input";
import { submitSend } from "../../workers/email/intake/send/send";
import { consume } from "../../workers/email/operations/jobs/consume.job";
import { readCompanyMetrics } from "../../workers/email/operations/metrics/metrics";
import { eraseAddress } from "../../workers/email/operations/privacy/erasure";
import { type EmailServices, services } from "../../workers/email/services";
import { newRowEntry } from "../../workers/kit/audit/audit";
import { createLog } from "../../workers/kit/log";
import { watchSeam } from "../support/db/seam";
import { createCompany, createKey, magicLink, startEmail } from "../support/email/email";
import { readMessage, storeMessage } from "../support/email/messages";
import { libraryId } from "../support/email/rules";

const companyId = createCompany();
const email = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: String(companyId) } });
const actor = { kind: "session", userId: 1 } as const;

/** Starts services that record the queries to the platform's database and the companies whose databases they use. */
function startSeam() {
  const late: Promise<unknown>[] = [];
  const base = services(email.bindings, {
    requestId: "seam",
    log: createLog({ service: "email" }),
    waitUntil: (work) => void late.push(work),
  });
  const { databases, ...queries } = watchSeam(base);
  const watched: EmailServices = { ...base, ...databases, webhooks: { ...base.webhooks, ...databases } };
  return { services: watched, queries, settle: () => Promise.all(late) };
}

const post = (path: string, key: string, json: object) =>
  new Request(`http://email.localhost${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(json),
  });

describe("a wake-up message", () => {
  it("uses only the database of its company for claim, results and the next wake-up message", async () => {
    const { services: companyServices, queries, settle } = startSeam();
    const id = await storeMessage(companyId, { lane: "transactional" });
    const sentBodies: unknown[] = [];
    const queue = {
      sendBatch: async (sent: { body: unknown }[]) => void sentBodies.push(...sent.map(({ body }) => body)),
    };
    const queues = {
      ...companyServices.queues,
      transactional: queue as unknown as EmailServices["queues"]["transactional"],
    };
    await deliverNow({ ...companyServices, queues }, [{ id, company_id: companyId }], "transactional");
    await settle();
    expect((await readMessage(id)).status).toBe("retrying");
    expect([queries.platformCalls, [...queries.requestedCompanies]]).toEqual([[], [companyId]]);
    expect(sentBodies).toEqual([{ v: 1, kind: "send", company_id: companyId, ids: [id], request_id: "seam" }]);
  });

  it("uses the platform's database when an earlier release sent it without a company", async () => {
    const { services: companyServices, queries } = startSeam();
    const id = await storeMessage(companyId, { lane: "transactional" });
    const body = { v: 1, kind: "send", ids: [id], request_id: "r" };
    const batch = { queue: "email-transactional", messages: [{ id: "q", body }], ackAll: () => undefined };
    await consume(companyServices, batch as unknown as MessageBatch<unknown>);
    expect((await readMessage(id)).attempt_count).toBe(1);
    expect(queries.platformCalls).toContain("batch");
  });
});

describe("work for a known company", () => {
  it("queries only the company's database", async () => {
    const { services: companyServices, queries, settle } = startSeam();
    const now = companyServices.clock.now();
    const body = { event_type: "identity.user.created", content: { library_id: await libraryId() } };
    const created = await createRule(
      companyServices,
      companyId,
      await readNewRule(companyServices, companyId, body),
      actor,
    );
    if (created === null) throw new Error("no rule");
    await editRule(companyServices, created.row, { enabled: false }, actor);
    await removeRule(companyServices, created.row, actor);
    const template = await readNewTemplate(companyServices, companyId, { source_id: await libraryId(), name: "Ours" });
    const entry = { action: "library_template.created", target: "library_template", changes: {} } as const;
    await createTemplate(companyServices, companyId, template, newRowEntry({ ...entry, actor, companyId, now }));
    const branding = { ...UNCHANGED, footer_text: "Aster" };
    await saveBranding(companyServices, companyId, branding, actor);
    await chooseTestSender(companyServices, companyId);
    await readCompanyMetrics(companyServices, companyId);
    await unsubscribe(companyServices, { companyId, category: "bulk", emailHmac: "0".repeat(64) }, "page");
    await eraseAddress(companyServices, { companyId, address: "mina@example.com", actor });
    await settle();
    expect([queries.platformCalls, [...queries.requestedCompanies]]).toEqual([[], [companyId]]);
  });

  it("queries only the company's database for sends and events", async () => {
    const { services: companyServices, queries, settle } = startSeam();
    const { key } = await createKey({ companies: [companyId] });
    const sent = await submitSend(
      post("/api/v1/send", key, { ...magicLink(companyId), idempotency_key: "one" }),
      companyServices,
    );
    expect(sent.messages).toHaveLength(1);
    const again = post("/api/v1/send", key, { ...magicLink(companyId), idempotency_key: "one" });
    expect(await submitSend(again, companyServices)).toMatchObject({ isReplay: true });
    const event = { company_id: companyId, event_type: "identity.user.created" };
    await submitEvent(
      post("/api/v1/events", key, { ...event, recipients: [{ email: "mina@example.com" }] }),
      companyServices,
    );
    await settle();
    // Service keys are in the platform's database. The first request with a key in an isolate reads the key before it
    // knows the company.
    expect([queries.platformCalls, [...queries.requestedCompanies]]).toEqual([["first"], [companyId]]);
  });
});

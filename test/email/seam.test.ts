import { describe, expect, it } from "vitest";
import { unsubscribe } from "../../workers/email/audience/unsubscribes/unsubscribe";
import { createTemplate, readNewTemplate } from "../../workers/email/authoring/library-templates/library-template";
import { saveBranding } from "../../workers/email/content/branding/branding";
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

/** The services, of which it is known what they ask past the databases of companies. */
function startSeam() {
  const late: Promise<unknown>[] = [];
  const made = services(email.bindings, {
    requestId: "seam",
    log: createLog({ service: "email" }),
    waitUntil: (work) => void late.push(work),
  });
  const { databases, ...seen } = watchSeam(made);
  const own: EmailServices = { ...made, ...databases, webhooks: { ...made.webhooks, ...databases } };
  return { own, seen, settle: () => Promise.all(late) };
}

const post = (path: string, key: string, json: object) =>
  new Request(`http://email.localhost${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(json),
  });

describe("a doorbell", () => {
  it("of a company is followed in its database alone: claim, results, and the next doorbell", async () => {
    const { own, seen, settle } = startSeam();
    const id = await storeMessage(companyId, { lane: "transactional" });
    const rung: unknown[] = [];
    const queue = { sendBatch: async (sent: { body: unknown }[]) => void rung.push(...sent.map(({ body }) => body)) };
    const queues = { ...own.queues, transactional: queue as unknown as EmailServices["queues"]["transactional"] };
    await deliverNow({ ...own, queues }, [{ id, company_id: companyId }], "transactional");
    await settle();
    expect((await readMessage(id)).status).toBe("retrying");
    expect([seen.past, [...seen.asked]]).toEqual([[], [companyId]]);
    expect(rung).toEqual([{ v: 1, kind: "send", company_id: companyId, ids: [id], request_id: "seam" }]);
  });

  it("of a release that sent no company is followed in the database of the platform", async () => {
    const { own, seen } = startSeam();
    const id = await storeMessage(companyId, { lane: "transactional" });
    const body = { v: 1, kind: "send", ids: [id], request_id: "r" };
    const batch = { queue: "email-transactional", messages: [{ id: "q", body }], ackAll: () => undefined };
    await consume(own, batch as unknown as MessageBatch<unknown>);
    expect((await readMessage(id)).attempt_count).toBe(1);
    expect(seen.past).toContain("batch");
  });
});

describe("what is known to be of a company", () => {
  it("is asked of its database alone", async () => {
    const { own, seen, settle } = startSeam();
    const now = own.clock.now();
    const body = { event_type: "identity.user.created", content: { library_id: await libraryId() } };
    const made = await createRule(own, companyId, await readNewRule(own, companyId, body), actor);
    if (made === null) throw new Error("no rule");
    await editRule(own, made.row, { enabled: false }, actor);
    await removeRule(own, made.row, actor);
    const template = await readNewTemplate(own, companyId, { source_id: await libraryId(), name: "Ours" });
    const created = { action: "library_template.created", target: "library_template", changes: {} } as const;
    await createTemplate(own, companyId, template, newRowEntry({ ...created, actor, companyId, now }));
    const words = { primary_color: null, logo_url: null, postal_address: null, footer_text: "Aster" };
    await saveBranding(own, companyId, words, actor);
    await chooseTestSender(own, companyId);
    await readCompanyMetrics(own, companyId);
    await unsubscribe(own, { companyId, category: "bulk", emailHmac: "0".repeat(64) }, "page");
    await eraseAddress(own, { companyId, address: "mina@example.com", actor });
    await settle();
    expect([seen.past, [...seen.asked]]).toEqual([[], [companyId]]);
  });

  it("is asked of its database alone by sends and events", async () => {
    const { own, seen, settle } = startSeam();
    const { key } = await createKey({ companies: [companyId] });
    const sent = await submitSend(post("/api/v1/send", key, { ...magicLink(companyId), idempotency_key: "one" }), own);
    expect(sent.messages).toHaveLength(1);
    const again = post("/api/v1/send", key, { ...magicLink(companyId), idempotency_key: "one" });
    expect(await submitSend(again, own)).toMatchObject({ isReplay: true });
    const event = { company_id: companyId, event_type: "identity.user.created" };
    await submitEvent(post("/api/v1/events", key, { ...event, recipients: [{ email: "mina@example.com" }] }), own);
    await settle();
    // Keys are the platform's: the first request with one in an isolate looks it up before the company is known.
    expect([seen.past, [...seen.asked]]).toEqual([["first"], [companyId]]);
  });
});

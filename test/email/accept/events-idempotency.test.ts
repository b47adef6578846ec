import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { rules, send_requests, template_versions, templates } from "../../../db/email/schema";
import { clock } from "../../../workers/kit/clock";
import { loseAnswer } from "../../support/db/lost-answer";
import { watchCalls } from "../../support/db/watched-database";
import { testEnv } from "../../support/email/email";
import { pauseLane, readRows, updateRows } from "../../support/email/rows";
import { DEPLOYED, startEvents, startForAll } from "../../support/email/rules";
import { restoreAfterEach } from "../../support/restore";

restoreAfterEach();

const email = await startForAll();
const recipients = [{ email: "Mina@example.com" }, { email: "leo@example.com" }];

describe("idempotency keys of events", () => {
  it.each([1, 2])("store one set of messages for 30 parallel events to %i recipients", async (count) => {
    const { create, post, messages } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    await create({
      event_type: DEPLOYED,
      recipient_mode: "static",
      static_recipients: count === 1 ? [] : ["o@example.com"],
    });
    const body = { idempotency_key: "race", recipients: recipients.slice(0, count) };
    const responses = await Promise.all(Array.from({ length: 30 }, () => post(body)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(responses.filter(({ body }) => !body.idempotent_replay)).toHaveLength(1);
    expect(new Set(responses.map(({ body }) => JSON.stringify({ ...body, idempotent_replay: 0 })))).toHaveProperty(
      "size",
      1,
    );
    expect(await messages()).toHaveLength(count === 1 ? 1 : 3);
  });

  it.each([[[]], [recipients]])("count one skipped event for parallel events with the same key to %j", async (to) => {
    const { create, post, skips, decisions } = await startEvents(email);
    if (to.length === 0) await create({ event_type: DEPLOYED });
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => post({ idempotency_key: "skip", recipients: to })),
    );
    expect(responses.filter(({ body }) => !body.idempotent_replay)).toHaveLength(1);
    const reason = to.length === 0 ? "no_recipients" : "no_rule";
    expect(new Set(responses.map(({ body }) => body.skipped_reason))).toEqual(new Set([reason]));
    expect(await skips()).toEqual([[reason, 1]]);
    expect(await decisions()).toHaveLength(1);
  });

  it("return the stored event after its rule was disabled and its lane paused, and reject a different body", async () => {
    const { companyId, create, post, call } = await startEvents(email);
    const skipped = await post({ idempotency_key: "early", recipients });
    const rule = await create({ event_type: DEPLOYED });
    const first = await post({ idempotency_key: "k", recipients });
    const single = await post({ idempotency_key: "one", recipients: recipients.slice(0, 1) });
    await call("PATCH", `/${rule.id}`, { enabled: false });
    await pauseLane("transactional", companyId);
    for (const [key, to, original] of [
      ["early", recipients, skipped],
      ["k", recipients, first],
      ["one", recipients.slice(0, 1), single],
    ] as const) {
      const again = await post({ idempotency_key: key, recipients: to });
      expect(await again.body).toEqual({ ...original.body, idempotent_replay: true });
    }
    expect((await post({ idempotency_key: "k", recipients: [] })).body.error_code).toBe("idempotency_conflict");
  });

  it("are stored without addresses, in the message of a single recipient or in a row of their own", async () => {
    const { companyId, create, post, messages } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    await post({ idempotency_key: "one", recipients: recipients.slice(0, 1) });
    await post({ idempotency_key: "two", recipients });
    const storedRequests = await readRows(send_requests, eq(send_requests.company_id, companyId));
    expect(storedRequests.map(({ idempotency_key, path }) => [idempotency_key, path])).toEqual([
      ["two", "/api/v1/events"],
    ]);
    expect(JSON.stringify(storedRequests).toLowerCase()).not.toContain("mina@");
    expect((await messages()).flatMap(({ idempotency_key }) => idempotency_key ?? [])).toEqual(["one"]);
  });

  it("are shared with sends, and separate for each service and company", async () => {
    const [a, b] = [await startEvents(email), await startEvents(email)];
    await a.post({ idempotency_key: "k" });
    const json = { company_id: a.companyId, template_key: DEPLOYED, idempotency_key: "k", to: recipients };
    const sent = await email.call("/api/v1/send", { bearer: a.keys.hosting, json });
    expect(await sent.json()).toMatchObject({ error_code: "idempotency_conflict" });
    expect((await b.post({ idempotency_key: "k" })).body.idempotent_replay).toBe(false);
    const otherEvent = { idempotency_key: "k", event_type: "identity.user.created" };
    expect((await a.post(otherEvent, a.keys.identity)).body.idempotent_replay).toBe(false);
  });

  it("can be reused after their window", async () => {
    const { post, skips } = await startEvents(email);
    await post({ idempotency_key: "k" });
    const real = clock.now;
    clock.now = () => real() + 24 * 3_600_000 + 1000;
    expect((await post({ idempotency_key: "k", recipients })).body.idempotent_replay).toBe(false);
    expect((await skips()).reduce((sum, [, n]) => sum + Number(n), 0)).toBe(2);
  });
});

describe("an event whose caller dies", () => {
  it("stores nothing before the batch, and is stored once when the database repeats the batch", async () => {
    const { create, post, messages, decisions } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    await create({ event_type: DEPLOYED, recipient_mode: "static" });
    await post({});
    const body = { idempotency_key: "killed", recipients };
    const dying = watchCalls(testEnv.DB, { before: async (call) => dieAt(call, ACCEPT_CALL) });
    expect((await post(body, undefined, { bindings: { DB: dying } })).status).toBe(503);
    expect([await messages(), (await decisions()).length]).toEqual([[], 2]);
    const lost = await post(body, undefined, { bindings: { DB: loseAnswer(testEnv.DB, 2) } });
    expect([lost.status, lost.body.idempotent_replay]).toEqual([202, false]);
    expect((await post(body)).body).toEqual({ ...lost.body, idempotent_replay: true });
    expect([(await messages()).length, (await decisions()).length]).toEqual([2, 3]);
  });

  it("returns the stored messages to a retry after the batch", async () => {
    const { create, post, messages } = await startEvents(email);
    await create({ event_type: DEPLOYED });
    await post({});
    const dying = watchCalls(testEnv.DB, { after: async (call) => dieAt(call, ACCEPT_CALL) });
    const body = { idempotency_key: "killed", recipients };
    expect((await post(body, undefined, { bindings: { DB: dying } })).status).toBe(503);
    const again = await post(body);
    expect([again.body.idempotent_replay, again.body.messages.length]).toEqual([true, 2]);
    expect(await messages()).toHaveLength(2);
  });

  it("is counted once as skipped when the database repeats the batch, with or without a key", async () => {
    const { post, skips, decisions } = await startEvents(email);
    await post({});
    for (const idempotency_key of ["k", undefined]) {
      const { status } = await post({ idempotency_key }, undefined, { bindings: { DB: loseAnswer(testEnv.DB, 2) } });
      expect(status).toBe(202);
    }
    expect(await skips()).toEqual([["no_rule", 3]]);
    expect(await decisions()).toHaveLength(3);
  });
});

describe("first events of a company", () => {
  it("create each built-in rule once when they arrive in parallel, and are sent by it", async () => {
    const { companyId, post, keys, messages } = await startEvents(email);
    const event = {
      event_type: "identity.auth.magic_link.requested",
      payload: { company_name: "Aster Labs", magic_link_url: "https://auth.example.com/verify?token=secret" },
    };
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        post({ ...event, recipients: [{ email: `r${index}@example.com` }] }, keys.identity),
      ),
    );
    expect(responses.map(({ body }) => body.messages?.length)).toEqual(Array(12).fill(1));
    const createdRules = await readRows(rules, eq(rules.company_id, companyId));
    expect(createdRules).toHaveLength(3);
    const customTemplates = await readRows(templates, eq(templates.company_id, companyId));
    expect(customTemplates.map(({ id }) => id).sort()).toEqual(
      createdRules.map(({ template_id }) => template_id).sort(),
    );
    for (const { id } of customTemplates) {
      expect(await readRows(template_versions, eq(template_versions.template_id, id))).toHaveLength(1);
    }
    const sent = new Set((await messages()).map(({ trace }) => trace.rule_id));
    expect([...sent]).toEqual([createdRules.find(({ event_type }) => event_type === event.event_type)?.id]);
  });

  it("send the default content when the custom template fails its checks", async () => {
    const { post, keys, messages } = await startEvents(email);
    const event = {
      event_type: "identity.auth.magic_link.requested",
      payload: { company_name: "Aster Labs", magic_link_url: "https://auth.example.com/verify?token=secret" },
      recipients: recipients.slice(0, 1),
    };
    await post(event, keys.identity);
    const [{ version_id } = { version_id: null }] = await messages();
    const tokensAndHosts = { tokens: [], hosts: ["gone.example.com"] };
    await updateRows(template_versions, { uses: tokensAndHosts }, eq(template_versions.id, version_id ?? 0));
    const { body } = await post(event, keys.identity);
    expect(body.messages).toMatchObject([{ template_version: null }]);
    const rows = await messages();
    expect(rows.map(({ trace }) => (trace.content as { reason: string | null }).reason)).toContain("checks_failed");
  });
});

/**
 * The number of the database call that stores the acceptance. With new bindings, which simulate a new isolate, earlier
 * calls look up the key and read the facts.
 */
const ACCEPT_CALL = 3;

function dieAt(call: number, at: number): void {
  if (call === at) throw new Error("the caller was killed");
}

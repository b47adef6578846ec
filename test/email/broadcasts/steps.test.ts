import { eq, inArray } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { company_profiles, messages, unsubscribes } from "../../../db/email/schema";
import { continueBroadcast, enqueueDueBroadcasts } from "../../../workers/email/audience/recipients/step";
import { rollUpBefore } from "../../../workers/email/operations/metrics/roll-up.store";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { openDb } from "../../../workers/kit/db/db";
import { MINUTE_MS, SECOND_MS } from "../../../workers/kit/time";
import { meterDatabase } from "../../support/db/metered-database";
import { type Broadcasts, startBroadcasts } from "../../support/email/broadcast-steps";
import { rejectWith, testSettings, withDb } from "../../support/email/delivery";
import { everyMember } from "../../support/email/draft-broadcasts";
import { testEnv } from "../../support/email/email";
import { eventsOfCompany } from "../../support/email/events";
import { storeNewsletter, storeSubscriber } from "../../support/email/newsletter-rows";
import { insertRow, pauseLane, suppressHash, updateRows } from "../../support/email/rows";
import { restoreClock } from "../../support/restore";

afterEach(restoreClock);

const hashOf = (email: string) => hashAddress(testSettings().rawKeys.pepper, email);
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The events of broadcasts of a company, without those of messages. */
const endsOf = async (companyId: number) =>
  (await eventsOfCompany(companyId)).filter(({ type }) => type.startsWith("email.broadcast."));

describe("a broadcast", () => {
  it("is sent to every user of its audience once, with their names and that of the company", async () => {
    const broadcasts = await startBroadcasts({ users: 5 });
    await insertRow(company_profiles, { company_id: broadcasts.companyId, name: "Aster", updated_at: 1 });
    const id = await broadcasts.store();
    const ended = await broadcasts.finish(id);
    expect(ended).toMatchObject({ state: "sent", pending: 0, messages: 5, last_error_code: "", bearer_enc: null });
    expect([ended.bearer_expires_at, ended.step_token, ended.sent_at]).toEqual([null, null, broadcasts.now()]);
    expect(await broadcasts.recipientsOf(id)).toEqual([]);
    const mails = broadcasts.calls.map(({ mail }) => [mail.to[0], mail.subject]);
    expect(mails.sort()).toEqual([1, 2, 3, 4, 5].map((n) => [`user-${n}@aster.example`, `News for First ${n}`]));
    const text = broadcasts.calls[0]?.mail.text;
    expect(text).toMatch(/^Aster user-\d@aster\.example\nhttp/);
    const rows = await broadcasts.messagesOf(id);
    expect(rows.map(({ status }) => status)).toEqual(Array(5).fill("sent"));
    expect(rows[0]).toMatchObject({
      lane: "bulk",
      category: "bulk",
      service: "broadcast",
      event_type: "broadcast",
      template_version: 1,
      scope: "platform",
      language: "en",
    });
    const [event, ...others] = await endsOf(broadcasts.companyId);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: "email.broadcast.sent",
      data: { broadcast_id: id, name: "Launch", provider_ref: ended.provider_ref, total: 5, sent: 5, failed: 0 },
    });
  });

  it("mixes picked users and addresses, each address once", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const emails = ["USER-2@aster.example", "guest@example.com"];
    const audience = { ...everyMember, mode: "pick" as const, user_ids: [1, 2, 77], emails };
    const ended = await broadcasts.finish(await broadcasts.store({ audience }));
    expect([ended.state, ended.messages]).toEqual(["sent", 3]);
    const to = broadcasts.calls.map(({ mail }) => mail.to[0]);
    expect(to.sort()).toEqual(["guest@example.com", "user-1@aster.example", "user-2@aster.example"]);
    expect(broadcasts.identity.audienceRequests.map(({ filter }) => filter)).toEqual([
      { access: "enabled", user_ids: "1,2,77" },
    ]);
  });

  it("without recipients is sent at once", async () => {
    const broadcasts = await startBroadcasts({ users: 0 });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    expect(await broadcasts.row(id)).toMatchObject({ state: "sent", messages: 0 });
    expect(await endsOf(broadcasts.companyId)).toMatchObject([{ type: "email.broadcast.sent", data: { total: 0 } }]);
  });

  it("skips suppressed and unsubscribed addresses, counts them, and erases their contacts", async () => {
    const broadcasts = await startBroadcasts({ users: 4 });
    const { companyId } = broadcasts;
    const [one, two, three] = await Promise.all([1, 2, 3].map((n) => hashOf(`user-${n}@aster.example`)));
    const unsubscribe = { company_id: companyId, category: "bulk", source: "page", created_at: 1 };
    await insertRow(unsubscribes, { ...unsubscribe, email_hmac: one ?? "" });
    await suppressHash(companyId, one ?? "", { reason: "manual" });
    await suppressHash(companyId, two ?? "", { reason: "hard_bounce" });
    await suppressHash(companyId, three ?? "", { reason: "manual", lanes: ["auth"] });
    const id = await broadcasts.store();
    const ended = await broadcasts.finish(id);
    expect(ended).toMatchObject({ state: "sent", messages: 2, skipped_unsubscribed: 1, skipped_suppressed: 1 });
    const skipped = await broadcasts.recipientsOf(id);
    expect(skipped.map(({ status, contact_enc, email_masked }) => [status, contact_enc, email_masked]).sort()).toEqual([
      ["skipped_suppressed", null, "u***@aster.example"],
      ["skipped_unsubscribed", null, "u***@aster.example"],
    ]);
    const [event] = await endsOf(companyId);
    expect(event?.data).toMatchObject({ total: 4, sent: 2, skipped_unsubscribed: 1, skipped_suppressed: 1 });
    // Thirty days later, the skipped recipients are deleted, and no step follows.
    broadcasts.advance(31 * DAY_MS);
    await broadcasts.step(id);
    expect(await broadcasts.recipientsOf(id)).toEqual([]);
    expect(await broadcasts.row(id)).toMatchObject({ state: "sent", next_step_at: null, purged_at: broadcasts.now() });
  });

  it("waits for its last messages, and ends when they have ended", async () => {
    const broadcasts = await startBroadcasts({ users: 2 });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    const waits: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const { state, next_step_at: nextAt } = await broadcasts.row(id);
      expect(state).toBe("sending");
      waits.push(((nextAt ?? 0) - broadcasts.now()) / SECOND_MS);
      broadcasts.advance((nextAt ?? 0) - broadcasts.now());
      await broadcasts.step(id);
    }
    expect([waits[0], Math.round(waits.at(-1) ?? 0)]).toEqual([30, 228]);
    expect(waits.every((wait) => wait >= 30 && wait <= 600)).toBe(true);
    expect(broadcasts.rung.at(-1)?.delaySeconds).toBeGreaterThan(200);
    broadcasts.state.respond = rejectWith(422);
    await broadcasts.deliver(id);
    expect(await broadcasts.finish(id)).toMatchObject({ state: "sent" });
    expect((await endsOf(broadcasts.companyId))[0]?.data).toMatchObject({ total: 2, failed: 2, sent: 0, queued: 0 });
  });

  it("creates messages for about a minute of its pace, and waits for their turn", async () => {
    const broadcasts = await startBroadcasts({ users: 150, settings: { bulkRates: { company: 1, sender: 0 } } });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    expect(await broadcasts.row(id)).toMatchObject({ pending: 90, messages: 60 });
    expect(broadcasts.rung).toEqual([{ id, delaySeconds: 60 }]);
    broadcasts.advance(MINUTE_MS);
    // Nothing was sent, so no more messages are created.
    await broadcasts.step(id);
    expect(await broadcasts.row(id)).toMatchObject({ pending: 90, messages: 60 });
    const sent = (await broadcasts.messagesOf(id)).slice(0, 30).map((message) => message.id);
    const move = (ids: string[]) =>
      updateRows(messages, { status: "sent", next_attempt_at: null }, inArray(messages.id, ids));
    await move(sent.slice(1));
    broadcasts.advance(MINUTE_MS);
    // Messages are created when half of them are sent, because small claims take as many statements as large ones.
    await broadcasts.step(id);
    expect(await broadcasts.row(id)).toMatchObject({ pending: 90, messages: 60 });
    await move(sent);
    broadcasts.advance(MINUTE_MS);
    await broadcasts.step(id);
    expect(await broadcasts.row(id)).toMatchObject({ pending: 60, messages: 90 });
  });
});

describe("a scheduled broadcast", () => {
  const scheduled = { state: "scheduled", bearer_enc: null, bearer_expires_at: null } as const;

  it("begins at its time with the grant of its user, and not before", async () => {
    const broadcasts = await startBroadcasts({ users: 2 });
    const sendAt = broadcasts.now() + 10 * MINUTE_MS;
    const id = await broadcasts.store({ ...scheduled, send_at: sendAt, next_step_at: sendAt });
    expect(await broadcasts.step(id)).toBe(false);
    await enqueueDueBroadcasts(broadcasts.build());
    expect(broadcasts.rung.filter((ring) => ring.id === id)).toEqual([]);
    broadcasts.advance(10 * MINUTE_MS);
    await enqueueDueBroadcasts(broadcasts.build());
    expect(broadcasts.rung.filter((ring) => ring.id === id)).toEqual([{ id, delaySeconds: 0 }]);
    expect((await broadcasts.finish(id)).state).toBe("sent");
    expect(broadcasts.identity.audienceRequests).toMatchObject([{ grantedBy: 1 }]);
  });

  const picked = { ...everyMember, mode: "pick" as const, emails: ["mina@example.com"] };
  const audiences = ["filter", "pick", "newsletter"] as const;

  /** Stores a scheduled broadcast whose time has come, to an audience of this mode. */
  async function storeDue(broadcasts: Broadcasts, mode: (typeof audiences)[number]): Promise<number> {
    const due = { ...scheduled, send_at: broadcasts.now() };
    if (mode === "filter") return broadcasts.store(due);
    if (mode === "pick") return broadcasts.store({ ...due, audience: picked });
    const list = await storeNewsletter(broadcasts.companyId);
    await storeSubscriber(list, "mina@example.com");
    const audience = { ...everyMember, mode: "newsletter" as const, list_id: list.id };
    return broadcasts.store({ ...due, audience, list_id: list.id });
  }

  it.each(audiences)("fails when its user may no longer send (%s)", async (mode) => {
    const broadcasts = await startBroadcasts({ users: 2 });
    const id = await storeDue(broadcasts, mode);
    broadcasts.identity.removeMember(broadcasts.companyId, 1);
    expect(await broadcasts.finish(id)).toMatchObject({ state: "failed", last_error_code: "permission_ended" });
    expect(broadcasts.calls).toEqual([]);
  });

  it.each(["pick", "newsletter"] as const)("waits until identity checks its user (%s)", async (mode) => {
    const broadcasts = await startBroadcasts({ users: 2 });
    const id = await storeDue(broadcasts, mode);
    broadcasts.identity.setUnavailable(true);
    await broadcasts.step(id);
    const waiting = await broadcasts.row(id);
    expect([waiting.state, waiting.pending, waiting.failed_pages]).toEqual(["preparing", 0, 1]);
    broadcasts.identity.setUnavailable(false);
    expect((await broadcasts.finish(id)).state).toBe("sent");
    expect(broadcasts.identity.audienceRequests).toMatchObject([{ grantedBy: 1, filter: { user_ids: "1" } }]);
    expect(broadcasts.calls.map(({ mail }) => mail.to[0])).toEqual(["mina@example.com"]);
  });

  it("waits for a paused lane, and checks its sender again", async () => {
    const broadcasts = await startBroadcasts({ users: 2 });
    const id = await broadcasts.store({ ...scheduled, send_at: broadcasts.now() });
    await pauseLane("bulk", broadcasts.companyId);
    await broadcasts.step(id);
    const waiting = await broadcasts.row(id);
    expect([waiting.state, waiting.next_step_at]).toEqual(["queued", broadcasts.now() + 30 * SECOND_MS]);
    const settings = { ...broadcasts.build().settings, platformCompanyIds: new Set<number>() };
    broadcasts.advance(MINUTE_MS);
    await broadcasts.step(id, broadcasts.build({ settings }));
    expect(await broadcasts.row(id)).toMatchObject({ state: "failed", last_error_code: "platform_sender_not_allowed" });
    expect(broadcasts.calls).toEqual([]);
  });
});

describe("a pause and a cancellation", () => {
  it("hold at once, and a resumed broadcast mails everybody once", async () => {
    const broadcasts = await startBroadcasts({ users: 130, settings: { bulkRates: { company: 1, sender: 0 } } });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    await broadcasts.change(id, { state: "paused", paused_state: "sending" });
    broadcasts.advance(5 * MINUTE_MS);
    expect(await broadcasts.step(id)).toBe(false);
    await broadcasts.deliver(id);
    expect(broadcasts.calls).toEqual([]);
    const resumed = { state: "sending", paused_state: null, next_step_at: broadcasts.now() } as const;
    await broadcasts.change(id, resumed);
    const unlimited = broadcasts.build();
    unlimited.settings = { ...unlimited.settings, bulkRates: { company: 0, sender: 0 } };
    expect(await broadcasts.finish(id, unlimited)).toMatchObject({ state: "sent", messages: 130 });
    expect(new Set(broadcasts.calls.map(({ mail }) => mail.to[0])).size).toBe(130);
    expect(broadcasts.calls).toHaveLength(130);
  });

  it("remove waiting recipients and messages, keep what was sent, and store one event", async () => {
    const broadcasts = await startBroadcasts({ users: 100, settings: { bulkRates: { company: 1, sender: 0 } } });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    const [first] = await broadcasts.messagesOf(id);
    await updateRows(messages, { status: "sent", next_attempt_at: null, sent_at: 1 }, eq(messages.id, first?.id ?? ""));
    const { pending } = await broadcasts.row(id);
    const now = broadcasts.now();
    await broadcasts.change(id, { state: "cancelled", removed: pending, pending: 0, next_step_at: now });
    await broadcasts.step(id);
    await broadcasts.step(id);
    expect(await broadcasts.recipientsOf(id)).toEqual([]);
    const statuses = (await broadcasts.messagesOf(id)).map(({ status }) => status);
    expect([statuses.filter((status) => status === "sent").length, new Set(statuses)]).toEqual([
      1,
      new Set(["sent", "cancelled"]),
    ]);
    await broadcasts.deliver(id);
    expect(broadcasts.calls).toEqual([]);
    expect(await endsOf(broadcasts.companyId)).toMatchObject([
      { type: "email.broadcast.cancelled", data: { total: 100, sent: 1, cancelled: 99, pending: 0 } },
    ]);
    expect((await broadcasts.row(id)).next_step_at).toBe(now + 30 * DAY_MS);
  });

  it("wait for messages of a running attempt before the event", async () => {
    const broadcasts = await startBroadcasts({ users: 2 });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    const [first] = await broadcasts.messagesOf(id);
    await updateRows(messages, { status: "sending" }, eq(messages.id, first?.id ?? ""));
    broadcasts.advance(MINUTE_MS);
    await broadcasts.change(id, { state: "cancelled", next_step_at: broadcasts.now() });
    await broadcasts.step(id);
    expect(await endsOf(broadcasts.companyId)).toEqual([]);
    // The attempt ends with a failure that would be repeated.
    await updateRows(messages, { status: "retrying" }, eq(messages.id, first?.id ?? ""));
    expect((await broadcasts.finish(id)).state).toBe("cancelled");
    expect((await broadcasts.messagesOf(id)).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    expect(await endsOf(broadcasts.companyId)).toMatchObject([{ data: { total: 2, cancelled: 2 } }]);
  });
});

it("cancels messages step by step, and reads each message of the company once", async () => {
  const broadcasts = await startBroadcasts({ users: 2500 });
  const id = await broadcasts.store();
  await broadcasts.step(id);
  await broadcasts.change(id, { state: "cancelled", next_step_at: broadcasts.now() });
  // The time of a step is over after its first messages.
  const metered = meterDatabase(testEnv.DB, async () => broadcasts.advance(4 * SECOND_MS));
  const services = withDb(broadcasts.build(), openDb(metered.db));
  const cancelledAfter: number[] = [];
  for (let step = 0; step < 3; step++) {
    await broadcasts.step(id, services);
    cancelledAfter.push((await broadcasts.messagesOf(id)).filter(({ status }) => status === "cancelled").length);
  }
  expect(cancelledAfter).toEqual([1000, 2000, 2500]);
  const scans = metered
    .takeStatements()
    .filter(({ text }) => /^select[^(]*\([^)]*template_key/.test(text.replaceAll('"', "")));
  expect(scans.map(({ read }) => read <= 2 * 1000 + 10)).toEqual([true, true, true]);
  expect(await endsOf(broadcasts.companyId)).toMatchObject([{ data: { total: 2500, cancelled: 2500 } }]);
});

it("runs to its end within the request in synchronous mode, and is enqueued otherwise", async () => {
  const broadcasts = await startBroadcasts({ users: 3, settings: { deliverSync: true } });
  const id = await broadcasts.store();
  await continueBroadcast(broadcasts.build(), { id, company_id: broadcasts.companyId });
  expect((await broadcasts.row(id)).state).toBe("sent");
  expect(broadcasts.calls).toHaveLength(3);
  const queued = await startBroadcasts();
  const work: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise);
  await continueBroadcast(queued.build({ waitUntil }), { id: 5, company_id: queued.companyId });
  await Promise.all(work);
  expect(queued.rung).toEqual([{ id: 5, delaySeconds: 0 }]);
});

// The last test, because the roll-ups of this file stay ahead of the clock.
it("does not end while its rolled-up messages wait", async () => {
  const broadcasts = await startBroadcasts({ users: 2 });
  const id = await broadcasts.store();
  await broadcasts.step(id);
  await rollUpBefore(openDb(testEnv.DB), broadcasts.now() + SECOND_MS);
  broadcasts.advance(MINUTE_MS);
  await broadcasts.step(id);
  expect(await broadcasts.row(id)).toMatchObject({ state: "sending", pending: 0, messages: 2 });
  await broadcasts.deliver(id);
  expect(await broadcasts.finish(id)).toMatchObject({ state: "sent" });
});

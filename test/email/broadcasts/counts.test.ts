import { eq } from "drizzle-orm";
import { afterEach, expect, it } from "vitest";
import { broadcasts, stats_marks, unsubscribes } from "../../../db/email/schema";
import { readCounts, selectCounts } from "../../../workers/email/audience/broadcast-counts/counts";
import {
  cancelBroadcast,
  pauseBroadcast,
  resumeBroadcast,
} from "../../../workers/email/audience/broadcast-sending/sending.store";
import { rollUpBefore } from "../../../workers/email/operations/metrics/roll-up.store";
import { openDb } from "../../../workers/kit/db/db";
import { DAY_MS } from "../../../workers/kit/time";
import { problemOf, startCompany } from "../../support/email/admin";
import { audienceMember, startBroadcasts } from "../../support/email/broadcast-steps";
import { accept, rejectWith } from "../../support/email/delivery";
import { storeDraftBroadcast } from "../../support/email/draft-broadcasts";
import { startEmail, testEnv } from "../../support/email/email";
import { storeMessage } from "../../support/email/messages";
import { hashOf } from "../../support/email/newsletter-rows";
import { PLATFORM_SECRET, postProviderWebhook, providerEvent } from "../../support/email/provider-webhooks";
import { insertRow, suppressHash, updateRows } from "../../support/email/rows";
import { restoreClock } from "../../support/restore";

afterEach(restoreClock);

const email = await startEmail({ vars: { PROVIDER_WEBHOOK_SECRET: PLATFORM_SECRET } });
const { companyId, owner } = await startCompany(email);
const read = async (path: string) => (await email.call(path, { bearer: owner })).json<Record<string, unknown>>();

const STATUSES = [
  ...(["queued", "sending", "retrying", "sent", "delivery_delayed", "delivered"] as const),
  ...(["bounced", "complained", "failed", "expired", "suppressed", "cancelled"] as const),
];

it("equals the rows in every state, before and after the roll-up, in statistics and in searches", async () => {
  await updateRows(stats_marks, { counted_before: Date.now() - 40 * DAY_MS }, eq(stats_marks.id, 1));
  const now = Date.now();
  const listId = 7_000_000 + companyId;
  const broadcast = await storeDraftBroadcast(companyId, {
    state: "sending",
    started_at: now - 1000,
    list_id: listId,
    pending: 2,
    skipped_unsubscribed: 3,
    skipped_suppressed: 4,
    removed: 1,
    messages: STATUSES.length,
  });
  const mail = {
    lane: "bulk",
    event_type: "broadcast",
    service: "broadcast",
    template_key: broadcast.template_key,
  } as const;
  for (const status of STATUSES)
    await storeMessage(companyId, {
      ...mail,
      status,
      broadcast_id: broadcast.id,
      list_id: listId,
      accepted_at: now,
    });
  const counts = {
    total: 22,
    pending: 2,
    skipped_unsubscribed: 3,
    skipped_suppressed: 4,
    queued: 3,
    sent: 2,
    delivered: 1,
    bounced: 1,
    complained: 1,
    cancelled: 2,
    failed: 3,
  };
  const expectCounts = async () => {
    expect((await read(`/api/v1/broadcasts/${broadcast.id}`)).counts).toEqual(counts);
    expect((await read("/api/v1/broadcasts")).broadcasts).toMatchObject([{ id: broadcast.id, counts }]);
    for (const query of [`broadcast_id=${broadcast.id}`, `list_id=${listId}`, ""]) {
      const stats = await read(`/api/v1/stats?${query}`);
      expect(stats.totals, query).toMatchObject({ queued: 3, delivered: 1, failed: 1, expired: 1, cancelled: 1 });
      expect(Object.keys(stats.by_internal as object), query).toEqual(["broadcast"]);
    }
    expect((await read("/api/v1/stats?broadcast_id=999999999")).totals).toMatchObject({ queued: 0, delivered: 0 });
  };
  await expectCounts();
  await rollUpBefore(openDb(testEnv.DB), Date.now() + 1000);
  await expectCounts();
  const found = (await read(`/api/v1/messages?broadcast_id=${broadcast.id}`)).messages as { id: string }[];
  expect(found).toHaveLength(STATUSES.length);
  expect((await read(`/api/v1/messages?broadcast_id=${broadcast.id + 1}`)).messages).toEqual([]);
  expect(await read(`/api/v1/messages/${found[0]?.id}`)).toMatchObject({
    broadcast_id: broadcast.id,
    broadcast: { id: broadcast.id, name: "March news" },
  });
  for (const path of ["messages", "stats"]) {
    const response = await email.call(`/api/v1/${path}?broadcast_id=x`, { bearer: owner });
    expect(await problemOf(response)).toEqual([400, "validation_failed", { broadcast_id: ["invalid"] }]);
  }
  await updateRows(broadcasts, { state: "sent", sent_at: Date.now() }, eq(broadcasts.id, broadcast.id));
  expect((await read(`/api/v1/broadcasts/${broadcast.id}`)).counts).toEqual(counts);
});

const PEOPLE = 12;
const OPERATIONS = 20;
const MAX_STEPS = 40;

/** Returns a generator of numbers from 0 to 1, which are the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 7919;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

it.each([1, 7, 11])("add up to the recipients after operations in random order (seed %i)", async (seed) => {
  await updateRows(stats_marks, { counted_before: Date.now() - DAY_MS }, eq(stats_marks.id, 1));
  const random = randomOf(seed);
  // Creates the messages of six recipients at a time, and attempts them without waiting.
  const started = await startBroadcasts({ users: PEOPLE, settings: { bulkRates: { company: 0.1, sender: 0 } } });
  const services = started.build();
  const unpaced = started.build({ settings: { ...services.settings, bulkRates: { company: 0, sender: 0 } } });
  const db = services.dbOf(started.companyId);
  const staff = await email.token({ isStaff: true, userId: 9 });
  const owner = await email.token({ companyId: started.companyId, isOwner: true, userId: 1 });
  const id = await started.store();
  const blocked = new Set<string>();
  const done: string[] = [];
  // The counts of deleted messages remain. An erased message that waits counts as cancelled.
  const erased: { status: string }[] = [];

  const someone = () => audienceMember(1 + Math.floor(random() * PEOPLE)).email;
  const someMessage = async (status: string) => (await started.messagesOf(id)).find((row) => row.status === status)?.id;
  const step = async () => {
    const { next_step_at: at } = await started.row(id);
    if (at !== null && at < started.now() + DAY_MS) started.advance(Math.max(at - started.now(), 0));
    await started.step(id);
  };
  const block = async (store: (address: string) => Promise<unknown>) => {
    const address = someone();
    if (!blocked.has(address)) await store(address);
    blocked.add(address);
  };
  const report = async (type: string) => {
    const message = await someMessage("sent");
    if (message === undefined) return;
    const { status } = await postProviderWebhook(email, providerEvent(type, message), { at: started.now() });
    expect(status).toBe(200);
  };
  const operations: Record<string, () => Promise<unknown>> = {
    step,
    stepAgain: step,
    deliver: () => started.deliver(id, unpaced),
    deliverRejected: async () => {
      started.state.respond = rejectWith(422);
      await started.deliver(id, unpaced);
      started.state.respond = accept;
    },
    pause: () => db.run(pauseBroadcast({ id, now: started.now() })),
    resume: () => db.run(resumeBroadcast({ id, now: started.now() })),
    resumeAgain: () => db.run(resumeBroadcast({ id, now: started.now() })),
    cancel: async () => {
      if (random() < 0.2) await db.run(cancelBroadcast({ id, now: started.now() }));
    },
    erase: async () => {
      const before = await started.messagesOf(id);
      const json = { company_id: started.companyId, email: someone() };
      const { status } = await email.call("/api/v1/privacy/erase", { bearer: staff, json });
      expect(status).toBe(200);
      const left = new Set((await started.messagesOf(id)).map((row) => row.id));
      const gone = before.filter((row) => !left.has(row.id));
      erased.push(...gone.map((row) => (row.next_attempt_at === null ? row : { status: "cancelled" })));
    },
    suppress: () =>
      block(async (address) => suppressHash(started.companyId, await hashOf(address), { reason: "manual" })),
    unsubscribe: () =>
      block(async (address) => {
        const row = { company_id: started.companyId, category: "bulk", source: "page", created_at: 1 } as const;
        await insertRow(unsubscribes, { ...row, email_hmac: await hashOf(address) });
      }),
    bounce: () => report("bounced"),
    confirmDelivery: () => report("delivered"),
    cancelMessage: async () => {
      const message = await someMessage("queued");
      if (message === undefined) return;
      await email.call(`/api/v1/messages/${message}/cancel`, { method: "POST", bearer: owner });
    },
  };

  /** Fails unless the counts are those of the rows and, after the audience is complete, of all its users. */
  async function expectSums(operation: string) {
    done.push(operation);
    const row = await started.row(id);
    const counts = readCounts(await db.batch(selectCounts(started.companyId, [row], started.now()))).get(id);
    const recipients = await started.recipientsOf(id);
    const messages = [...(await started.messagesOf(id)), ...erased];
    const sizeOf = (rows: readonly { status: string }[], ...statuses: string[]) =>
      rows.filter(({ status }) => statuses.includes(status)).length;
    const removed = row.removed;
    const total = row.started_at === null ? row.pending + removed : PEOPLE;
    const context = `seed ${seed} after ${done.join(" ")}`;
    expect(counts, context).toEqual({
      total,
      pending: row.state === "cancelled" ? 0 : sizeOf(recipients, "pending"),
      skipped_unsubscribed: sizeOf(recipients, "skipped_unsubscribed"),
      skipped_suppressed: sizeOf(recipients, "skipped_suppressed"),
      queued: sizeOf(messages, "queued", "sending", "retrying"),
      sent: sizeOf(messages, "sent", "delivery_delayed"),
      delivered: sizeOf(messages, "delivered"),
      bounced: sizeOf(messages, "bounced"),
      complained: 0,
      cancelled: sizeOf(messages, "cancelled") + removed,
      failed: sizeOf(messages, "failed", "expired", "suppressed"),
    });
  }

  const names = Object.keys(operations);
  for (let turn = 0; turn < OPERATIONS; turn++) {
    const name = names[Math.floor(random() * names.length)] ?? "step";
    await operations[name]?.();
    await expectSums(name);
  }
  const ends = ["sent", "cancelled", "failed"];
  for (let turn = 0; turn < MAX_STEPS && !ends.includes((await started.row(id)).state); turn++) {
    await operations.resume?.();
    await step();
    await started.deliver(id, unpaced);
    await expectSums("end");
  }
  const mailed = started.calls.map(({ mail }) => mail.to[0]);
  expect(ends, done.join(" ")).toContain((await started.row(id)).state);
  expect(new Set(mailed).size, `seed ${seed}: two mails to one address`).toBe(mailed.length);
});

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { broadcasts, unsubscribes } from "../../../db/email/schema";
import type { MembershipsInput } from "../../../schemas/rpc";
import { createStart } from "../../../workers/email/delivery/bulk/start";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { storeBroadcast } from "../../support/email/broadcasts";
import { startBulk } from "../../support/email/bulk";
import { type ApiResponder, accept, rejectWith, storeProvider, withDb } from "../../support/email/delivery";
import { attemptsOf, readMessage, storeMessage } from "../../support/email/messages";
import { changeMessage, insertRow, updateRows } from "../../support/email/rows";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The lowest id of a user who never was a member. */
const FIRST_STRANGER = 10;

/** Returns services whose identity knows these active members, and inactive ones; null: identity does not respond. */
function withMembers(harness: Awaited<ReturnType<typeof startBulk>>["harness"], members: readonly number[] | null) {
  const services = harness.build();
  const asked: number[][] = [];
  const memberships = async ({ user_ids, include_inactive = false }: MembershipsInput) => {
    if (members === null) throw new Error("identity is unavailable");
    if (include_inactive) return { active_user_ids: user_ids.filter((id) => id < FIRST_STRANGER) };
    asked.push([...user_ids]);
    return { active_user_ids: user_ids.filter((id) => members.includes(id)) };
  };
  const rpc = { ...services.identity.rpc, memberships };
  return { asked, services: { ...services, identity: { ...services.identity, rpc } } };
}

describe("a claim of bulk mail", () => {
  it("holds 300 messages of one company and takes at most 18 statements with its results", async () => {
    const { harness, deliver, company } = await startBulk();
    const ids = await Promise.all(
      Array.from({ length: 300 }, () => storeMessage(company, { lane: "bulk", scope: "company" })),
    );
    const services = harness.build();
    const counts: number[] = [];
    const count = (statements: object) =>
      counts.push(
        Object.values(statements).reduce(
          (sum: number, item) => sum + (Array.isArray(item) ? item.length : item ? 1 : 0),
          0,
        ),
      );
    const { platformDb } = services;
    const counted = {
      ...platformDb,
      batch: (statements: never) => {
        count(statements);
        return platformDb.batch(statements);
      },
      all: (statement: never) => {
        counts.push(1);
        return platformDb.all(statement);
      },
    } as unknown as typeof platformDb;
    await deliver(ids, withDb(services, counted));
    expect(harness.calls).toHaveLength(300);
    expect(harness.enqueued).toEqual([]);
    // Three of the statements check, 100 messages at a time, whether the messages may still be sent.
    expect(counts.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(15 + 3);
  });

  it("has wake-up messages of up to 300 ids", async () => {
    const { harness, store, company } = await startBulk({ perSecond: 1 });
    await storeProvider(company, { kind: "api", api_key: "k" });
    const ids = await store(301, { accepted_at: harness.now() });
    harness.advance(120_000);
    await sweepQueue(harness.build());
    const enqueued = harness.enqueued.filter((message) => message.ids.some((id) => ids.includes(id)));
    expect(enqueued.map((message) => message.ids.length)).toEqual([300, 1]);
  });
});

describe("a broadcast", () => {
  it.each(["paused", "cancelled", "draft"] as const)("that is %s holds its messages", async (state) => {
    const { harness, company, deliver } = await startBulk();
    const broadcast = await storeBroadcast(company, { state });
    const id = await storeMessage(company, { lane: "bulk", scope: "company", broadcast_id: broadcast.id });
    await deliver([id]);
    expect(await readMessage(id)).toMatchObject({ status: "queued", attempt_count: 0 });
    harness.advance(10 * MINUTE);
    await sweepQueue(harness.build());
    expect(harness.enqueued.flatMap(({ ids }) => ids)).not.toContain(id);
    await updateRows(broadcasts, { state: "sending" }, eq(broadcasts.id, broadcast.id));
    await sweepQueue(harness.build());
    expect(harness.enqueued.flatMap(({ ids }) => ids)).toContain(id);
    await deliver([id]);
    expect(await readMessage(id)).toMatchObject({ status: "sent" });
    expect(harness.calls[0]?.mail.tags).toContainEqual({ name: "broadcast_id", value: broadcast.ref });
  });

  it("that is paused after the claim stops the messages that have not started", async () => {
    const pause: ApiResponder = async (...request) => {
      await updateRows(broadcasts, { state: "paused" }, eq(broadcasts.company_id, company));
      return accept(...request);
    };
    const { harness, company, deliver } = await startBulk({ respond: pause });
    const broadcast = await storeBroadcast(company);
    const columns = { lane: "bulk", scope: "company", broadcast_id: broadcast.id } as const;
    const ids = await Promise.all(Array.from({ length: 120 }, () => storeMessage(company, columns)));
    await deliver(ids);
    // The messages are checked 100 at a time.
    expect(harness.calls.length).toBeLessThanOrEqual(100);
    const rows = await Promise.all(ids.map(readMessage));
    const waiting = rows.filter(({ status }) => status === "retrying");
    expect(waiting).toHaveLength(120 - harness.calls.length);
    expect(waiting.every(({ attempt_count, data_started }) => attempt_count === 0 && !data_started)).toBe(true);
  });
});

describe("a recipient", () => {
  it("who is no member any more gets no mail", async () => {
    const { harness, company, deliver } = await startBulk();
    const columns = { lane: "bulk", scope: "company" } as const;
    const member = await storeMessage(company, { ...columns, to_user_id: 1 });
    const removed = await storeMessage(company, { ...columns, to_user_id: 2 });
    const other = await storeMessage(company, columns);
    const { services, asked } = withMembers(harness, [1]);
    await deliver([member, removed, other], services);
    expect(asked).toEqual([[1, 2]]);
    expect(await readMessage(member)).toMatchObject({ status: "sent" });
    expect(await readMessage(other)).toMatchObject({ status: "sent" });
    expect(await readMessage(removed)).toMatchObject({
      status: "suppressed",
      last_error_code: "recipient_removed",
      variables_enc: null,
    });
  });

  it("without access gets a broadcast to members without access, unless they left the company", async () => {
    const { harness, company, deliver } = await startBulk();
    const audience = { access: "any" } as (typeof broadcasts.$inferInsert)["audience"];
    const { id: broadcast_id } = await storeBroadcast(company, { audience });
    const columns = { lane: "bulk", scope: "company", broadcast_id } as const;
    const denied = await storeMessage(company, { ...columns, to_user_id: 2 });
    const left = await storeMessage(company, { ...columns, to_user_id: FIRST_STRANGER });
    await deliver([denied, left], withMembers(harness, [1]).services);
    expect(await readMessage(denied)).toMatchObject({ status: "sent" });
    expect(await readMessage(left)).toMatchObject({ status: "suppressed", last_error_code: "recipient_removed" });
  });

  it("waits 30 s when identity does not respond", async () => {
    const { harness, company, deliver } = await startBulk();
    const id = await storeMessage(company, { lane: "bulk", scope: "company", to_user_id: 1 });
    await deliver([id], withMembers(harness, null).services);
    expect(harness.calls).toEqual([]);
    expect(await readMessage(id)).toMatchObject({
      status: "retrying",
      attempt_count: 0,
      claim_count: 0,
      next_attempt_at: harness.now() + 30_000,
    });
    expect(harness.enqueued).toEqual([{ lane: "bulk", ids: [id], delaySeconds: 30 }]);
    harness.advance(30_000);
    await deliver([id], withMembers(harness, [1]).services);
    expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 1 });
  });

  it("who unsubscribes after the claim gets no mail that has not started", async () => {
    const unsubscribe: ApiResponder = async (...request) => {
      const row = {
        company_id: company,
        email_hmac: "late",
        category: "list-4",
        source: "page",
        created_at: 1,
      } as const;
      if (harness.calls.length === 1) await insertRow(unsubscribes, row);
      return accept(...request);
    };
    const { harness, company, deliver } = await startBulk({ respond: unsubscribe });
    const columns = { lane: "bulk", scope: "company", category: "list-4" } as const;
    const first = await Promise.all(Array.from({ length: 100 }, () => storeMessage(company, columns)));
    const late = await storeMessage(company, { ...columns, email_hmac: "late" });
    await deliver([...first, late]);
    expect(await readMessage(late)).toMatchObject({ status: "retrying", attempt_count: 0 });
    await deliver([late]);
    expect(await readMessage(late)).toMatchObject({ status: "suppressed", last_error_code: "unsubscribed" });
    expect(harness.calls).toHaveLength(100);
  });
});

describe("messages that start by SMTP", () => {
  it.each([
    [0, 30, 100],
    [100, 30, 100],
    [1000, 3, 10],
    [20_000, 1, 1],
  ])("are marked and stored in parts (one every %d ms: %d and %d)", async (intervalMs, marked, stored) => {
    const { store, harness } = await startBulk();
    const lease = { status: "sending", lease_token: "held", locked_until: harness.now() + MINUTE } as const;
    const ids = await store(40, lease);
    const { platformDb: db } = harness.build();
    const rows = ids.map((id) => ({ id, lease_token: "held" }));
    const { mayStart, storeEvery } = createStart({ db, rows, provider: "smtp", intervalMs, now: harness.now });
    expect(await mayStart(ids[0] ?? "")).toBe(true);
    const started = await Promise.all(ids.map(async (id) => (await readMessage(id)).data_started));
    expect(started).toEqual(ids.map((_id, index) => index < marked));
    expect(storeEvery).toBe(stored);
  });
});

describe("bulk mail whose outcome is unknown", () => {
  const timeout: ApiResponder = () => {
    throw new Error("connection reset");
  };

  it("is repeated by the same mail API with the same key", async () => {
    const { harness, company, deliver } = await startBulk({ respond: timeout });
    const id = await storeMessage(company, { lane: "bulk", scope: "company" });
    await deliver([id]);
    harness.state.respond = accept;
    harness.advance(30_000);
    await deliver([id]);
    expect(harness.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([`msg_${id}`, `msg_${id}`]);
    expect(await readMessage(id)).toMatchObject({ status: "sent" });
  });

  it.each([
    ["after the provider forgets the key", async () => undefined, 24 * HOUR],
    [
      "with other credentials",
      async (company: number) => {
        await storeProvider(company, { kind: "api", api_key: "other" }, { bulk_from_email: "news@aster.example" });
      },
      30_000,
    ],
  ] as const)("is not repeated %s", async (_title, change, wait) => {
    const { harness, company, deliver } = await startBulk({ respond: timeout });
    const id = await storeMessage(company, { lane: "bulk", scope: "company" });
    await deliver([id]);
    harness.state.respond = accept;
    harness.advance(wait);
    await change(company);
    await deliver([id]);
    expect(harness.calls).toHaveLength(1);
    expect(await readMessage(id)).toMatchObject({
      status: "failed",
      last_error_code: "delivery_unknown",
      variables_enc: null,
    });
  });

  it("because its lease ended is repeated only by the sender of that time", async () => {
    const { harness, company, deliver } = await startBulk();
    const columns = { lane: "bulk", scope: "company", status: "sending", lease_token: "t", attempt_count: 1 } as const;
    const ended = { ...columns, locked_until: harness.now(), claim_count: 1 };
    const [same, changed] = [await storeMessage(company, ended), await storeMessage(company, ended)];
    await sweepQueue(harness.build());
    expect(await attemptsOf(same)).toMatchObject([{ provider: null, outcome: "delivery_unknown", scope: "company" }]);
    await deliver([same]);
    expect(await readMessage(same)).toMatchObject({ status: "sent", attempt_count: 2 });
    harness.advance(1000);
    await storeProvider(company, { kind: "api", api_key: "other" }, { bulk_from_email: "news@aster.example" });
    await deliver([changed]);
    expect(await readMessage(changed)).toMatchObject({ status: "failed", last_error_code: "delivery_unknown" });
    expect(harness.calls).toHaveLength(1);
  });

  it("has no other sender, even for companies of the platform", async () => {
    const { harness, company, deliver } = await startBulk({ respond: rejectWith(503) });
    const id = await storeMessage(company, { lane: "bulk", scope: "company" });
    await changeMessage(id, { attempt_count: 5 });
    const services = harness.build();
    const settings = { ...services.settings, platformCompanyIds: new Set([company]) };
    await deliver([id], { ...services, settings });
    expect((await attemptsOf(id)).map(({ scope }) => scope)).toEqual(["company"]);
  });
});

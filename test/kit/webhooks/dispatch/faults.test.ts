import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { action_deliveries, action_hosts } from "../../../../db/kit/webhooks";
import { oneDatabase } from "../../../../workers/kit/db/db";
import type { WebhooksContext } from "../../../../workers/kit/webhooks/context";
import { breakDb, ConsumerDied, repeatBatches } from "../../../support/db/broken-db";
import {
  forgetDeliveries,
  freshKey,
  hook,
  recorded,
  startWebhooks,
  type Webhooks,
} from "../../../support/webhooks/dispatch";
import { changeDelivery, readRows } from "../../../support/webhooks/rows";

const SECRET = "whsec_c3VwZXItc2VjcmV0LWtleS1tYXRlcmlhbCEh";
const LEASE_MS = 120_000;

beforeEach(forgetDeliveries);

/** Returns the context of a consumer that is killed. None of its later actions has an effect. */
type Death = (webhooks: Webhooks) => Partial<WebhooksContext>;

const dead = () => Promise.reject(new ConsumerDied());

/** Kills the consumer before the receiver gets the request (`before`) or after it responded (`after`). */
const deathAtPost =
  (when: "before" | "after"): Death =>
  (webhooks) => {
    const { platformDb: db, fetch, settings } = webhooks.build();
    let isDead = false;
    return {
      // The killed consumer has a short timeout. The next consumers have the time that a busy machine needs.
      settings: { ...settings, timeoutMs: 1000 },
      ...oneDatabase({
        ...db,
        batch: ((statements: never) => (isDead ? dead() : db.batch(statements))) as typeof db.batch,
      }),
      fetch: async (input, init) => {
        const response = when === "after" ? await fetch(input, init) : null;
        await response?.body?.cancel();
        isDead = true;
        // The isolate has ended, so the call never returns.
        return new Promise<Response>(() => {});
      },
    };
  };

const deathAtDb =
  (when: "before" | "after", call: number): Death =>
  (webhooks) =>
    oneDatabase(breakDb(webhooks.build().platformDb, when, call));

const deaths: [name: string, death: Death, calls: number][] = [
  ["before the claim", deathAtDb("before", 1), 1],
  ["after the claim", deathAtDb("after", 1), 1],
  ["before the post", deathAtPost("before"), 1],
  ["after the post", deathAtPost("after"), 2],
  ["before the result is stored", deathAtDb("before", 2), 2],
  ["after the result is stored", deathAtDb("after", 2), 1],
];

describe.each(["first", "retry"] as const)("a consumer of %s attempts that is killed", (mode) => {
  it.each(deaths)(
    "loses no delivery, and at most repeats the same request, when killed %s",
    async (_name, death, calls) => {
      const webhooks = startWebhooks();
      const key = freshKey();
      await webhooks.addRule({ url: hook("ok", key) });
      const { eventId, ids } = await webhooks.emit();
      if (mode === "retry") webhooks.advance(31_000);
      const context = webhooks.build(death(webhooks));
      await (mode === "first" ? webhooks.first(ids, context) : webhooks.retry({}, context)).catch(() => undefined);

      // Afterwards the queue redelivers the message, and a retry run starts each minute.
      if (mode === "first") await webhooks.first(ids);
      for (let minute = 0; minute < 4; minute++) {
        webhooks.advance(LEASE_MS / 2);
        await webhooks.retry();
      }
      expect(await webhooks.deliveries()).toMatchObject([{ status: "delivered", attempt_count: 1, lease_token: null }]);
      const requests = await recorded(key, SECRET);
      expect(requests).toHaveLength(calls);
      expect(new Set(requests.map(({ headers, body }) => `${headers["webhook-id"]} ${body}`)).size).toBe(1);
      expect(requests[0]?.headers["webhook-id"]).toBe(eventId);
      const stored = await webhooks.attempts();
      expect(stored.filter(({ status }) => status === "success")).toHaveLength(1);
      const totals = Object.values(await webhooks.totals()).reduce((sum, value) => sum + value, 0);
      expect(totals).toBe(1);
    },
  );
});

describe("storing a batch of results", () => {
  it("changes nothing when it is repeated", async () => {
    const webhooks = startWebhooks();
    const ruleId = await webhooks.addRule({ url: hook("500", freshKey()) });
    const closed = await webhooks.addRule({ url: hook("closed", freshKey(), 1) });
    const { ids } = await webhooks.emit();
    // D1 may lose the connection after the commit; openDb then repeats the batch.
    await webhooks.first(ids, webhooks.build(oneDatabase(repeatBatches(webhooks.build().platformDb))));
    expect(await webhooks.deliveries()).toMatchObject([
      { status: "failed", attempt_count: 1, claim_count: 1 },
      { status: "failed", attempt_count: 1, claim_count: 1 },
    ]);
    expect(await webhooks.attempts()).toHaveLength(2);
    expect(await webhooks.totals()).toEqual({ "webhook_attempts.failure.dispatch": 2 });
    expect(await readRows(action_hosts, undefined)).toMatchObject([{ consecutive_failures: 1 }]);
    for (const id of [ruleId, closed]) expect((await webhooks.rule(id)).failing_since).not.toBeNull();
  });

  it("stops the consumer when the database rejects the batch, and the queue redelivers the message", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    const { ids } = await webhooks.emit();
    const db = breakDb(webhooks.build().platformDb, "before", 1);
    expect(await webhooks.first(ids, webhooks.build(oneDatabase(db)))).toBe("retried");
    expect(await webhooks.first(ids)).toBe("acked");
    expect(await webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
  });
});

describe("a queue message of first attempts", () => {
  it("is dropped with a log line when malformed, while the other messages of its batch are handled", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    const { ids } = await webhooks.emit();
    const bodies = [
      null,
      "x",
      { v: 2, kind: "first", ids, request_id: "r" },
      { v: 1, kind: "first", ids: ["x"], request_id: "r" },
    ];
    expect(await webhooks.consume([...bodies, { v: 1, kind: "first", ids, request_id: "r" }])).toBe("acked");
    expect(await webhooks.deliveries()).toMatchObject([{ status: "delivered" }]);
    expect(webhooks.lines.filter(({ message }) => message === "malformed queue message dropped")).toHaveLength(4);
  });

  it("causes no second webhook when it arrives twice or late", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await webhooks.addRule({ url: hook("slow-50", key) });
    const { ids } = await webhooks.emit();
    await Promise.all([webhooks.first(ids), webhooks.first(ids), webhooks.first(ids)]);
    await webhooks.first(ids);
    expect(await recorded(key)).toHaveLength(1);
  });

  it("leaves a requeued delivery for a retry run", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await webhooks.addRule({ url: hook("500", key) });
    const { ids } = await webhooks.emit();
    await webhooks.first(ids);
    await changeDelivery(ids[0] ?? "", { status: "pending", attempt_count: 0, requeue_count: 1 });
    await webhooks.first(ids);
    expect(await recorded(key)).toHaveLength(1);
  });
});

describe("a requeue during an attempt", () => {
  it("stores the result as attempt 1, with the wait of attempt 1", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await webhooks.addRule({ url: hook("500", key) });
    const { ids } = await webhooks.emit();
    await webhooks.first(ids);
    webhooks.advance(30_000);
    await webhooks.retry();
    webhooks.advance(60_000);
    const { fetch } = webhooks.build();
    const context = webhooks.build({
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        await changeDelivery(ids[0] ?? "", {
          status: "pending",
          attempt_count: 0,
          claim_count: 0,
          last_error: null,
          due_at: Date.now(),
          requeue_count: sql`${action_deliveries.requeue_count} + 1`,
        });
        return response;
      },
    });
    await webhooks.retry({}, context);
    const [row] = await webhooks.deliveries();
    expect(row).toMatchObject({ status: "failed", attempt_count: 1, requeue_count: 1, lease_token: null });
    expect((row?.due_at ?? 0) - (row?.updated_at ?? 0)).toBe(30_000);
    const calls = await recorded(key);
    expect(calls.map(({ headers }) => headers["x-platform-delivery-attempt"])).toEqual(["1", "2", "3"]);
  });
});

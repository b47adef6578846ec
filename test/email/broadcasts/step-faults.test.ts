import { afterEach, describe, expect, it } from "vitest";
import { consume } from "../../../workers/email/operations/jobs/consume.job";
import { type Db, openDb } from "../../../workers/kit/db/db";
import { MINUTE_MS } from "../../../workers/kit/time";
import { meterDatabase } from "../../support/db/metered-database";
import { type Broadcasts, startBroadcasts } from "../../support/email/broadcast-steps";
import { withDb } from "../../support/email/delivery";
import { testEnv } from "../../support/email/email";
import { eventsOfCompany } from "../../support/email/events";
import { restoreClock } from "../../support/restore";

afterEach(restoreClock);

/** Returns a database that fails from its call number `at` on. */
function dyingDb(at: number): Db {
  const metered = meterDatabase(testEnv.DB, async (call) => {
    if (call >= at) throw new Error("the invocation died");
  });
  return openDb(metered.db);
}

/** Checks that a broadcast has mailed each of its users once, and that its counters equal its rows. */
async function expectComplete(broadcasts: Broadcasts, id: number, users: number) {
  const row = await broadcasts.finish(id);
  expect(row).toMatchObject({ state: "sent", pending: 0, messages: users });
  expect(await broadcasts.messagesOf(id)).toHaveLength(users);
  expect(broadcasts.calls).toHaveLength(users);
  expect(new Set(broadcasts.calls.map(({ mail }) => mail.to[0])).size).toBe(users);
  const ends = (await eventsOfCompany(broadcasts.companyId)).filter(({ type }) => type.startsWith("email.broadcast."));
  expect(ends).toMatchObject([{ type: "email.broadcast.sent", data: { total: users, sent: users } }]);
}

/** Services whose keys cannot be read, so that every step ends with an unexpected error. */
const withoutKeys = (broadcasts: Broadcasts) =>
  broadcasts.build({
    keys: async () => {
      throw new Error("no keys");
    },
  });

/** Runs `count` failing steps at their times. Returns the wait before each in ms. */
async function failSteps(broadcasts: Broadcasts, id: number, count: number): Promise<number[]> {
  const waits: number[] = [];
  for (let failed = 0; failed < count; failed++) {
    expect(await broadcasts.step(id, withoutKeys(broadcasts))).toBe(true);
    const { next_step_at } = await broadcasts.row(id);
    const wait = (next_step_at ?? 0) - broadcasts.now();
    waits.push(wait);
    broadcasts.advance(wait);
  }
  return waits;
}

describe("a step that fails again and again", () => {
  it("waits twice as long each time, up to 10 minutes, and then fails a broadcast without messages", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store({ bearer_expires_at: broadcasts.now() + 300 * MINUTE_MS });
    await broadcasts.step(id, withDb(broadcasts.build(), dyingDb(5))).catch(() => undefined);
    broadcasts.advance(2 * MINUTE_MS);
    expect(await broadcasts.row(id)).toMatchObject({ failed_steps: 0 });
    // The first failure also counts the step that died.
    const waits = await failSteps(broadcasts, id, 9);
    expect(waits.map((wait) => wait / 1000)).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
    expect(broadcasts.rung.slice(-2)).toEqual([
      { id, delaySeconds: 600 },
      { id, delaySeconds: 600 },
    ]);
    expect(await broadcasts.row(id)).toMatchObject({ failed_steps: 10, last_error_code: "" });
    expect(await broadcasts.finish(id)).toMatchObject({
      state: "failed",
      last_error_code: "step_failed",
      bearer_enc: null,
    });
    expect([await broadcasts.recipientsOf(id), await broadcasts.messagesOf(id)]).toEqual([[], []]);
    expect(broadcasts.calls).toEqual([]);
  });

  it("fails a broadcast that was to create its first messages, and leaves no recipient", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    await broadcasts.change(id, { state: "sending", messages: 0, failed_steps: 10, next_step_at: broadcasts.now() });
    expect(await broadcasts.finish(id)).toMatchObject({ state: "failed", last_error_code: "step_failed", pending: 0 });
    expect(await broadcasts.recipientsOf(id)).toEqual([]);
  });

  it("is continued when the broadcast has messages, and starts to count again after a success", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store();
    await broadcasts.step(id);
    await broadcasts.change(id, { next_step_at: broadcasts.now() });
    const waits = await failSteps(broadcasts, id, 12);
    expect(waits.at(-1)).toBe(10 * MINUTE_MS);
    expect(await broadcasts.row(id)).toMatchObject({ state: "sending", failed_steps: 12, last_error_code: "" });
    await broadcasts.step(id);
    expect(await broadcasts.row(id)).toMatchObject({ failed_steps: 0 });
    await expectComplete(broadcasts, id, 3);
  });
});

describe("a step", () => {
  it("can die before any statement: nobody gets two mails, and nobody is left out", async () => {
    const broadcasts = await startBroadcasts({ users: 7 });
    const id = await broadcasts.store({ bearer_expires_at: broadcasts.now() + 300 * MINUTE_MS });
    let deaths = 0;
    for (let round = 0; round < 60; round++) {
      const { state, messages } = await broadcasts.row(id);
      if (state === "sent" || messages === 7) break;
      // Each death is one call later, and the first call is the claim.
      const at = 1 + (round % 6);
      const died = await broadcasts.step(id, withDb(broadcasts.build(), dyingDb(at))).then(
        () => false,
        () => true,
      );
      deaths += died ? 1 : 0;
      broadcasts.advance(2 * MINUTE_MS);
    }
    expect(deaths).toBeGreaterThan(5);
    await expectComplete(broadcasts, id, 7);
  });

  it("stores nothing when it has lost its lease", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store();
    const services = broadcasts.build();
    const fetch = async (...input: Parameters<Fetcher["fetch"]>) => {
      broadcasts.advance(2 * MINUTE_MS);
      // Another consumer continues while the first one waits for identity.
      if (broadcasts.identity.audienceRequests.length === 0) await broadcasts.step(id);
      return services.identity.fetch.fetch(...input);
    };
    const identity = { ...services.identity, fetch: { fetch } as unknown as Fetcher };
    await broadcasts.step(id, broadcasts.build({ identity }));
    await expectComplete(broadcasts, id, 3);
  });

  it("runs once when 100 consumers get it at the same time", async () => {
    const broadcasts = await startBroadcasts({ users: 20 });
    const id = await broadcasts.store();
    const results = await Promise.all(Array.from({ length: 100 }, () => broadcasts.step(id)));
    expect(results.filter((isRun) => isRun)).toHaveLength(1);
    await expectComplete(broadcasts, id, 20);
  });

  it("belongs to its company", async () => {
    const broadcasts = await startBroadcasts({ users: 2 });
    const id = await broadcasts.store();
    const other = await startBroadcasts({ users: 2 });
    expect(await other.step(id)).toBe(false);
  });

  it("sees a cancellation that comes while it reads the audience", async () => {
    const broadcasts = await startBroadcasts({ users: 3 });
    const id = await broadcasts.store();
    const services = broadcasts.build();
    const fetch = async (...input: Parameters<Fetcher["fetch"]>) => {
      await broadcasts.change(id, { state: "cancelled", next_step_at: broadcasts.now() });
      return services.identity.fetch.fetch(...input);
    };
    const identity = { ...services.identity, fetch: { fetch } as unknown as Fetcher };
    await broadcasts.step(id, broadcasts.build({ identity }));
    expect(await broadcasts.finish(id)).toMatchObject({ state: "cancelled", messages: 0, bearer_enc: null });
    expect([await broadcasts.recipientsOf(id), await broadcasts.messagesOf(id)]).toEqual([[], []]);
  });

  it("is requested by a queue message, and other messages of the queue keep their meaning", async () => {
    const broadcasts = await startBroadcasts({ users: 1 });
    const id = await broadcasts.store();
    let result = "";
    const body = { v: 1, kind: "broadcast", company_id: broadcasts.companyId, ids: [String(id)], request_id: "r" };
    const batch = {
      queue: "email-service",
      messages: [body, { v: 1, kind: "other" }].map((message, index) => ({ id: `q${index}`, body: message })),
      ackAll: () => {
        result = "acked";
      },
      retryAll: () => {
        result = "retried";
      },
    } as unknown as MessageBatch<unknown>;
    await consume(broadcasts.build(), batch);
    expect([result, (await broadcasts.row(id)).state]).toEqual(["acked", "sending"]);
    await broadcasts.change(id, { next_step_at: broadcasts.now() });
    await consume(withDb(broadcasts.build(), dyingDb(1)), batch);
    expect(result).toBe("retried");
  });
});

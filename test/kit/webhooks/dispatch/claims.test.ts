import { env } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { action_hosts } from "../../../../db/kit/webhooks";
import { clock } from "../../../../workers/kit/clock";
import { oneDatabase, openDb } from "../../../../workers/kit/db/db";
import { claimDueRows, claimFirstRows, countDueRows } from "../../../../workers/kit/webhooks/dispatch/claim.store";
import { setFence } from "../../../support/jobs/rows";
import {
  emitMany,
  forgetDeliveries,
  freshKey,
  hook,
  program,
  receivers,
  recorded,
  startWebhooks,
} from "../../../support/webhooks/dispatch";
import { changeRule, insertDueDeliveries, readRows } from "../../../support/webhooks/rows";

beforeEach(forgetDeliveries);

const MINUTE = 60_000;

/** Claims deliveries as a retry run without a lock does, with the default settings. */
function claim(
  overrides: { chunk?: number; perRule?: number; perHost?: number; fence?: number | null; leaseMs?: number } = {},
) {
  const now = clock.now();
  const input = { now, token: crypto.randomUUID(), leaseMs: 120_000, perRule: 8, perHost: 16, chunk: 50, ...overrides };
  return claimDueRows(openDb(env.DB), { ...input, runStart: now, fence: overrides.fence ?? null });
}

describe("a delivery lease", () => {
  it("prevents every other claim of the row until the lease ends", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    const [id = ""] = await emitMany(webhooks, 1);
    webhooks.advance(31_000);
    expect((await claim()).map((row) => row.id)).toEqual([id]);
    expect(await claim()).toEqual([]);
    await webhooks.first([id]);
    expect(await webhooks.attempts()).toEqual([]);
    webhooks.advance(121_000);
    expect(await claim()).toMatchObject([{ id, claim_count: 2, status: "pending", attempt_count: 0 }]);
  });

  it("gives each row to one of many concurrent claims", async () => {
    const webhooks = startWebhooks();
    for (let rule = 0; rule < 3; rule++) await webhooks.addRule({ url: hook("ok", "x", rule) });
    await emitMany(webhooks, 6);
    webhooks.advance(31_000);
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim({ chunk: 5 })));
    const ids = claims.flat().map(({ id }) => id);
    expect(ids).toHaveLength(18);
    expect(new Set(ids).size).toBe(18);
  });

  it("is returned again when the claim is repeated, which claims no further rows", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    await emitMany(webhooks, 4);
    webhooks.advance(31_000);
    const now = clock.now();
    const token = crypto.randomUUID();
    const input = { now, token, leaseMs: 120_000, perRule: 8, perHost: 16, chunk: 2, runStart: now, fence: null };
    const first = await claimDueRows(openDb(env.DB), input);
    const again = await claimDueRows(openDb(env.DB), input);
    expect(again).toEqual(first);
    expect(first).toHaveLength(2);
  });

  it("prevents the attempt and releases row and claim when it is shorter than the timeout", async () => {
    const webhooks = startWebhooks({ settings: { leaseMs: 5000, timeoutMs: 5000 } });
    const key = freshKey();
    await webhooks.addRule({ url: hook("ok", key) });
    await webhooks.emit();
    webhooks.advance(31_000);
    await webhooks.retry();
    expect(await recorded(key)).toEqual([]);
    expect(await webhooks.deliveries()).toMatchObject([
      { status: "pending", attempt_count: 0, claim_count: 0, locked_until: null, lease_token: null },
    ]);
  });

  it("no longer lets a result change the delivery after its end; the attempt is still stored", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    const ruleId = await webhooks.addRule({ url: hook("500", key) });
    const { ids } = await webhooks.emit();
    const context = webhooks.build();
    const slow = webhooks.build({
      fetch: async (input, init) => {
        const response = await context.fetch(input, init);
        // Another consumer claims the row and delivers it while the first consumer still waits.
        webhooks.advance(121_000);
        await changeRule(ruleId, { url: hook("ok", key) });
        await webhooks.retry();
        return response;
      },
    });
    await webhooks.first(ids, slow);
    const [row] = await webhooks.deliveries();
    expect(row).toMatchObject({ status: "delivered", attempt_count: 1, last_error: null });
    expect(await webhooks.attempts()).toMatchObject([
      { status: "success", trigger: "automatic_retry" },
      { status: "failure", trigger: "dispatch", http_status: 500 },
    ]);
    expect(await webhooks.totals()).toEqual({ "webhook_attempts.success.automatic_retry": 1 });
    expect(await webhooks.rule(ruleId)).toMatchObject({ failing_since: null, last_failure_at: null });
    const calls = await recorded(key);
    expect(new Set(calls.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("ends soon after the timeout of a dead first attempt, and then no longer blocks the rule", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await webhooks.addRule({ url: hook("ok", key) });
    const interrupted = await emitMany(webhooks, 8);
    let isDead = false;
    const never = () => new Promise<never>(() => {});
    const { platformDb: db } = webhooks.build();
    // A dead consumer neither renews leases nor stores results.
    const all = ((statement) => (isDead ? never() : db.all(statement))) as typeof db.all;
    const batch = ((statements) => (isDead ? never() : db.batch(statements))) as typeof db.batch;
    const dead = webhooks.build({ fetch: never, ...oneDatabase({ ...db, all, batch }) });
    void webhooks.first(interrupted, dead);
    const leased = async () => (await webhooks.deliveries()).filter(({ locked_until }) => locked_until !== null);
    await expect.poll(async () => (await leased()).length).toBe(8);
    isDead = true;
    const ends = (await leased()).map(({ locked_until }) => (locked_until ?? 0) - clock.now());
    expect(Math.max(...ends)).toBeLessThanOrEqual(10_000);
    webhooks.advance(10_000);
    const next = await emitMany(webhooks, 8);
    await webhooks.first(next);
    expect((await webhooks.deliveries()).filter(({ id }) => next.includes(id)).map(({ status }) => status)).toEqual(
      Array(8).fill("delivered"),
    );
    // The leases of the dead consumers have ended, so their rows are due again although their queue message is not
    // acknowledged.
    await webhooks.retry();
    expect((await recorded(key)).length).toBe(16);
  });

  it("is renewed while a first attempt waits for its slot, so that no other claim receives the row", async () => {
    const webhooks = startWebhooks({ settings: { workers: 1, timeoutMs: 2000 } });
    const [slow, key] = [freshKey(), freshKey()];
    await webhooks.addRule({ url: hook("never", slow, 1) });
    const ids = await emitMany(webhooks, 3);
    const rows = () => webhooks.deliveries();
    const done = webhooks.first(ids);
    await expect.poll(async () => (await recorded(slow)).length).toBe(1);
    const until = Math.max(...(await rows()).map(({ locked_until }) => locked_until ?? 0));
    await expect
      .poll(async () => Math.max(...(await rows()).map((row) => row.locked_until ?? 0)), { timeout: 8000 })
      .toBeGreaterThan(until);
    await done;
    expect((await rows()).map(({ claim_count, attempt_count }) => [claim_count, attempt_count])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    expect(await recorded(key)).toEqual([]);
  });

  it("can be claimed 16 times, and then the delivery is dead with the code `abandoned`", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    await emitMany(webhooks, 1);
    webhooks.advance(31_000);
    for (let count = 1; count <= 16; count++) {
      expect(await claim()).toMatchObject([{ claim_count: count }]);
      webhooks.advance(121_000);
    }
    expect(await webhooks.retry()).toMatchObject({ webhook_deliveries_attempted: 0, webhook_deliveries_given_up: 1 });
    expect(await webhooks.deliveries()).toMatchObject([
      { status: "dead", last_error_code: "abandoned", attempt_count: 0, lease_token: null },
    ]);
    expect(await webhooks.attempts()).toEqual([]);
  });
});

describe("claiming deliveries", () => {
  it("skips first and later attempts of disabled rules until the rules are enabled again", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    const ruleId = await webhooks.addRule({ url: hook("ok", key) });
    const ids = await emitMany(webhooks, 1);
    await changeRule(ruleId, { enabled: false });
    await webhooks.first(ids);
    webhooks.advance(MINUTE);
    expect(await webhooks.retry()).toMatchObject({ webhook_deliveries_attempted: 0 });
    expect(await countDueRows(openDb(env.DB), clock.now())).toBe(0);
    const [paused] = await webhooks.deliveries();
    expect(paused).toMatchObject({ status: "pending", claim_count: 0 });
    expect((paused?.due_at ?? 0) - (paused?.created_at ?? 0)).toBe(30_000);
    await changeRule(ruleId, { enabled: true });
    expect(await countDueRows(openDb(env.DB), clock.now())).toBe(1);
    expect(await webhooks.retry()).toMatchObject({ webhook_deliveries_succeeded: 1 });
  });

  it("claims at most 8 rows of a rule and 16 of a host at a time, alternating by rule, oldest due first", async () => {
    const webhooks = startWebhooks();
    const rules: number[] = [];
    for (let rule = 0; rule < 5; rule++)
      rules.push(await webhooks.addRule({ url: hook("ok", "x", rule < 3 ? 0 : rule) }));
    await emitMany(webhooks, 10);
    webhooks.advance(31_000);
    const first = await claim({ chunk: 5 });
    expect(new Set(first.map(({ rule_id }) => rule_id))).toEqual(new Set(rules));
    const oldest = new Map<number, number>();
    for (const row of await webhooks.deliveries()) {
      oldest.set(row.rule_id, Math.min(oldest.get(row.rule_id) ?? Number.MAX_SAFE_INTEGER, row.due_at));
    }
    for (const row of first) expect(row.due_at).toBe(oldest.get(row.rule_id));
    const second = await claim({ chunk: 100 });
    const claimed = [...first, ...second];
    const countBy = (columnOf: (row: (typeof claimed)[number]) => unknown, value: unknown) =>
      claimed.filter((row) => columnOf(row) === value).length;
    for (const [index, rule] of rules.entries()) {
      if (index >= 3) expect(countBy((row) => row.rule_id, rule)).toBe(8);
      else expect(countBy((row) => row.rule_id, rule)).toBeGreaterThanOrEqual(5);
    }
    expect(countBy((row) => row.host, new URL(hook("ok", "x", 0)).host)).toBe(16);
    expect(await claim({ chunk: 100 })).toEqual([]);
  });

  it("claims at most 8 first attempts of a rule, and returns how many remain", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    const ids = await emitMany(webhooks, 10);
    const now = clock.now();
    const input = { now, token: crypto.randomUUID(), leaseMs: 120_000, perRule: 8, perHost: 16, chunk: 50, ids };
    const { rows, remaining } = await claimFirstRows(openDb(env.DB), input);
    expect([rows.length, remaining]).toEqual([8, 2]);
    const again = await claimFirstRows(openDb(env.DB), { ...input, token: crypto.randomUUID() });
    expect([again.rows.length, again.remaining]).toEqual([0, 2]);
  });

  it("delivers all first attempts of a queue message, and limited ones when other attempts end", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await webhooks.addRule({ url: hook("slow-50", key) });
    const ids = await emitMany(webhooks, 20);
    expect(await webhooks.first(ids)).toBe("acked");
    expect((await webhooks.deliveries()).filter(({ status }) => status === "delivered")).toHaveLength(20);
    expect(await recorded(key)).toHaveLength(20);
    const running = await (await fetch(`${receivers().control}/running/${key}`)).json<{ maxParallel: number }>();
    expect(running.maxParallel).toBeLessThanOrEqual(4);
  });

  it("claims nothing for a run that lost its lock", async () => {
    const webhooks = startWebhooks();
    await webhooks.addRule();
    await emitMany(webhooks, 1);
    webhooks.advance(31_000);
    await setFence(7, "retry_webhooks");
    expect(await claim({ fence: 6 })).toEqual([]);
    expect(await claim({ fence: 7 })).toHaveLength(1);
  });

  it("leaves a row that failed in this run for the next run, however short its wait is", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    await program(key, ["500", "503-after-1", "503-after-1", "ok"]);
    await webhooks.addRule({ url: hook("program", key) });
    const ids = await emitMany(webhooks, 1);
    await webhooks.first(ids);
    webhooks.advance(30_000);
    const runStart = clock.now();
    expect(await webhooks.retry({ runStart })).toMatchObject({ webhook_deliveries_attempted: 1 });
    webhooks.advance(1000);
    expect(await webhooks.retry({ runStart })).toMatchObject({ webhook_deliveries_attempted: 0 });
    expect(await webhooks.retry()).toMatchObject({ webhook_deliveries_attempted: 1 });
  });
});

describe("a host that does not respond", () => {
  it("receives one retry at a time after 10 failures in a row until it responds, while first attempts are not limited", async () => {
    const webhooks = startWebhooks();
    const key = freshKey();
    const url = hook("program", key);
    const { host } = new URL(url);
    await program(key, [...Array(10).fill("closed"), "500", "ok"]);
    await webhooks.addRule({ url });
    const ids = await emitMany(webhooks, 10);
    await webhooks.first(ids);
    const failures = () => readRows(action_hosts, eq(action_hosts.host, host));
    expect(await failures()).toMatchObject([{ consecutive_failures: 10 }]);
    await webhooks.addRule({ url, companyId: webhooks.companyId + 1_000_000_000 });
    const { ids: firstIds } = await webhooks.emit({ companyId: webhooks.companyId + 1_000_000_000 });
    webhooks.advance(30_000);
    const claimed = await claim();
    expect(claimed).toHaveLength(1);
    const now = clock.now();
    const input = {
      now,
      token: crypto.randomUUID(),
      leaseMs: 120_000,
      perRule: 8,
      perHost: 16,
      chunk: 50,
      ids: firstIds,
    };
    expect((await claimFirstRows(openDb(env.DB), input)).rows).toHaveLength(1);
    webhooks.advance(121_000);
    // The first retry gets a 500. This is a response, so the other retries are no longer limited.
    expect(await webhooks.retry()).toMatchObject({
      webhook_deliveries_attempted: 11,
      webhook_deliveries_succeeded: 10,
    });
    expect(await failures()).toEqual([]);
  });

  it("is recorded for Cloudflare's statuses for dead hosts, but not for other HTTP errors or unusable names", async () => {
    const webhooks = startWebhooks({ settings: { allowPrivate: false } });
    await webhooks.addRule({ url: "http://10.0.0.1/" });
    await webhooks.addRule({ url: "http://unknown.example.test/" });
    await webhooks.addRule({ url: hook("500", freshKey(), 1), allowPrivate: true });
    for (const [index, status] of ["520", "527", "530", "528"].entries()) {
      await webhooks.addRule({ url: hook(status, freshKey(), 2 + index), allowPrivate: true });
    }
    const { ids } = await webhooks.emit();
    await webhooks.first(ids);
    const rows = await readRows(action_hosts, undefined);
    const dead = [2, 3, 4].map((index) => new URL(receivers().origins[index] ?? "").host);
    expect(rows.map(({ host }) => host).sort()).toEqual(dead.sort());
  });
});

describe("the cost of a claim", () => {
  it("grows with the waiting rules, not with their rows", async () => {
    const rowsReadAt = async (waiting: number): Promise<number> => {
      await forgetDeliveries();
      const webhooks = startWebhooks();
      for (let rule = 0; rule < 5; rule++) await webhooks.addRule({ url: hook("ok", "x", rule) });
      await insertDueDeliveries(waiting);
      const db = openDb(env.DB);
      const now = clock.now();
      const input = { now, token: crypto.randomUUID(), leaseMs: 120_000, perRule: 8, perHost: 16, chunk: 50 };
      const rows = await claimDueRows(db, { ...input, runStart: now, fence: null });
      expect(rows).toHaveLength(40);
      return db.stats.rowsRead;
    };
    const rowsWithFew = await rowsReadAt(10);
    const many = await rowsReadAt(1000);
    expect(many).toBeLessThanOrEqual(rowsWithFew * 1.1);
    console.log(`rows read of a claim: ${rowsWithFew} at 10 waiting rows a rule, ${many} at 1000`);
  });

  it("is one round trip that reads few rows when nothing is due", async () => {
    startWebhooks();
    const db = openDb(env.DB);
    const now = clock.now();
    const input = { now, token: "t", leaseMs: 120_000, perRule: 8, perHost: 16, chunk: 50, runStart: now, fence: null };
    expect(await claimDueRows(db, input)).toEqual([]);
    expect(db.stats).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(db.stats.rowsRead).toBeLessThan(30);
  });
});

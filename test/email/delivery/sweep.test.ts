import { asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { audit_log, messages, send_requests, stats_days, stats_marks, suppressions } from "../../../db/email/schema";
import { type EndedLease, stateAfterLease } from "../../../workers/email/delivery/attempts/policy";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { purgeExpiredData } from "../../../workers/email/operations/operator/purge.job";
import { DAY_MS } from "../../../workers/kit/time";
import { deliverNow } from "../../support/email/deliver-now";
import { createCompany, type Harness, startDelivery, withDb } from "../../support/email/delivery";
import { countsOf, eventsOf, idAt, readMessage, storeMessage } from "../../support/email/messages";
import { countRows, insertRow, insertRows, pauseLane, readRows, suppressHash } from "../../support/email/rows";

const enqueuedFor = (harness: Harness, id: string) => harness.enqueued.filter(({ ids }) => ids.includes(id)).length;

let era = Date.UTC(2020, 0, 1);

/** Starts delivery at an earlier time than all other tests, so that its sweep finds only its own messages. */
function startSweep(): Harness {
  era -= DAY_MS;
  return startDelivery({ at: era });
}

describe("the sweep", () => {
  it("runs one query when there is nothing to do", async () => {
    const harness = startSweep();
    const services = harness.build();
    await sweepQueue(services);
    expect(services.platformDb.stats.roundTrips).toBe(1);
    expect(harness.enqueued).toEqual([]);
  });

  it.each([
    ["auth", 5000],
    ["transactional", 30_000],
    ["bulk", 120_000],
  ] as const)("enqueues a %s message once it is %d ms late", async (lane, late) => {
    const harness = startSweep();
    const id = await storeMessage(createCompany(), { lane });
    harness.advance(late - 1);
    await sweepQueue(harness.build());
    expect(enqueuedFor(harness, id)).toBe(0);
    harness.advance(1);
    await sweepQueue(harness.build());
    expect(harness.enqueued).toEqual([{ lane, ids: [id], delaySeconds: 0 }]);
  });

  it("expires waiting messages once, including paused ones", async () => {
    const harness = startSweep();
    const company = createCompany();
    const ids = [await storeMessage(company), await storeMessage(company, { status: "retrying" })];
    await pauseLane("auth", company);
    harness.advance(120_000);
    await sweepQueue(harness.build());
    await sweepQueue(harness.build());
    for (const id of ids) {
      expect(await readMessage(id)).toMatchObject({
        status: "expired",
        variables_enc: null,
        last_error_code: "expired",
      });
      expect(await eventsOf(id)).toEqual(["expired"]);
    }
    expect(await countsOf(company)).toEqual({ expired: 2 });
  });

  it("fails a message whose last attempt may have arrived instead of expiring it", async () => {
    const harness = startSweep();
    const company = createCompany();
    const id = await storeMessage(company, { status: "retrying", last_error_code: "delivery_unknown" });
    harness.advance(120_000);
    await sweepQueue(harness.build());
    await sweepQueue(harness.build());
    expect(await readMessage(id)).toMatchObject({
      status: "failed",
      last_error_code: "delivery_unknown",
      variables_enc: null,
      rank: 5,
    });
    expect(await eventsOf(id)).toEqual(["failed"]);
    expect(await countsOf(company)).toEqual({ failed: 1 });
  });

  it("skips paused messages and enqueues others", async () => {
    const harness = startSweep();
    const [paused, free] = [createCompany(), createCompany()];
    const pausedMessage = await storeMessage(paused, { lane: "transactional" });
    const due = await storeMessage(free, { lane: "transactional" });
    await pauseLane("transactional", paused);
    harness.advance(30_000);
    await sweepQueue(harness.build());
    expect([enqueuedFor(harness, pausedMessage), enqueuedFor(harness, due)]).toEqual([0, 1]);
  });

  it("enqueues at most 500 messages of a company, alternating with the other companies", async () => {
    const harness = startSweep();
    const [large, small] = [createCompany(), createCompany()];
    const template = await storeMessage(large, { lane: "bulk" });
    const row = await readMessage(template);
    const duplicates = Array.from({ length: 600 }, () => ({ ...row, id: crypto.randomUUID().replaceAll("-", "") }));
    await insertRows(messages, duplicates);
    harness.advance(1);
    const id = await storeMessage(small, { lane: "bulk" });
    harness.advance(120_000);
    await sweepQueue(harness.build());
    expect(harness.enqueued.flatMap(({ ids }) => ids)).toHaveLength(501);
    expect(harness.enqueued.every(({ ids }) => ids.length <= 300)).toBe(true);
    // The second wake-up message of the large company comes after the first one of the small company.
    expect(harness.enqueued.slice(0, 2).flatMap(({ ids }) => ids)).toContain(id);
  });
});

describe("a message whose lease has ended", () => {
  const row: EndedLease = {
    lane: "auth",
    provider_message_id: null,
    expires_at: null,
    data_started: false,
    claim_count: 1,
    last_error_code: null,
  };
  it.each([
    ["is sent if it has a provider id", { provider_message_id: "p", data_started: true }, "sent", null],
    ["fails past its expiry, since it may have arrived", { expires_at: 1000 }, "failed", "delivery_unknown"],
    ["expires past its expiry as bulk mail before DATA", { lane: "bulk", expires_at: 1000 }, "expired", "expired"],
    ["fails as bulk mail after DATA", { lane: "bulk", data_started: true }, "failed", "delivery_unknown"],
    ["is abandoned after 20 claims", { claim_count: 20 }, "failed", "abandoned"],
    ["is retried now as bulk mail before DATA", { lane: "bulk", claim_count: 19 }, "retrying", null],
    [
      "is retried now as auth mail before its expiry",
      { expires_at: 1001, claim_count: 19 },
      "retrying",
      "delivery_unknown",
    ],
  ] as const)("%s", (_title, changes, status, code) => {
    expect(stateAfterLease({ ...row, ...changes }, 1000)).toMatchObject({ status, code });
  });

  it("is settled once by the sweep, with events, counts and deleted variables, or enqueued again", async () => {
    const harness = startSweep();
    const company = createCompany();
    const sending = { status: "sending", lease_token: "t", locked_until: harness.now(), attempt_count: 1 } as const;
    const again = await storeMessage(company, { ...sending, claim_count: 1 });
    const sent = await storeMessage(company, { ...sending, provider_message_id: "p" });
    const unknown = await storeMessage(company, { ...sending, lane: "bulk", data_started: true });
    const abandoned = await storeMessage(company, { ...sending, claim_count: 20 });
    const running = await storeMessage(company, { ...sending, locked_until: harness.now() + 1 });
    await sweepQueue(harness.build());
    await sweepQueue(harness.build());
    expect(await readMessage(again)).toMatchObject({
      status: "retrying",
      next_attempt_at: harness.now(),
      attempt_count: 1,
      claim_count: 1,
      lease_token: null,
    });
    expect((await readMessage(again)).variables_enc).not.toBeNull();
    expect(await readMessage(sent)).toMatchObject({ status: "sent", variables_enc: null, provider_message_id: "p" });
    expect(await readMessage(unknown)).toMatchObject({
      status: "failed",
      last_error_code: "delivery_unknown",
      variables_enc: null,
      data_started: false,
    });
    expect(await readMessage(abandoned)).toMatchObject({
      status: "failed",
      last_error_code: "abandoned",
      variables_enc: null,
    });
    expect(await readMessage(running)).toMatchObject({ status: "sending", lease_token: "t" });
    expect(await eventsOf(again)).toEqual(["retrying"]);
    expect(await countsOf(company)).toEqual({ queued: 2, sent: 1, failed: 2 });
    expect(harness.enqueued).toEqual([{ lane: "auth", ids: [again], delaySeconds: 0 }]);
  });

  it("fails after 20 claims without a result", async () => {
    const harness = startSweep();
    harness.state.respond = () => {
      throw new Error("not reached");
    };
    const company = createCompany();
    const id = await storeMessage(company, { lane: "transactional" });
    for (let n = 0; n < 20; n++) {
      const services = harness.build({
        settings: { ...harness.build().settings, platformCompanyIds: new Set([company]) },
      });
      const lost = withDb(services, { ...services.platformDb, batch: onlyFirst(services.platformDb.batch) });
      await expect(deliverNow(lost, [id], "transactional")).rejects.toThrow();
      harness.advance(120_000);
      await sweepQueue(harness.build());
    }
    expect(await readMessage(id)).toMatchObject({
      status: "failed",
      last_error_code: "abandoned",
      variables_enc: null,
    });
  });
});

/** Returns a batch function that fails from its second call on, as if the isolate had ended. */
function onlyFirst<F extends (...args: never[]) => Promise<unknown>>(batch: F): F {
  let calls = 0;
  return ((...args: Parameters<F>) => {
    calls += 1;
    if (calls > 1) throw new Error("the isolate ended");
    return batch(...args);
  }) as F;
}

/** Runs the job as the scheduler does, but does not record the run. */
function purge(harness: Harness) {
  const startedAt = harness.now();
  const run = { id: 0, trigger: "scheduler" as const, fence: null, startedAt, stopAt: Infinity, report: () => {} };
  return purgeExpiredData.run(harness.build(), run, purgeExpiredData.scheduledFlags);
}

describe("the purge", () => {
  const exists = (id: string) =>
    readMessage(id).then(
      () => true,
      () => false,
    );

  it("deletes final messages past their retention with their events, and keeps waiting and younger ones", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const at = harness.now() - 30 * DAY_MS;
    const ids = {
      old: await storeMessage(company, { status: "sent", accepted_at: at - 1 }),
      waiting: await storeMessage(company, { lane: "bulk", accepted_at: at - 1 }),
      young: await storeMessage(company, { status: "sent", accepted_at: at }),
    };
    await purge(harness);
    await expect(readMessage(ids.old)).rejects.toThrow("no such message");
    expect([await exists(ids.old), await exists(ids.waiting), await exists(ids.young)]).toEqual([false, true, true]);
    expect((await readMessage(ids.waiting)).status).toBe("queued");
  });

  it("keeps messages that have an active idempotency key or are not rolled up yet", async () => {
    const company = createCompany();
    const harness = startDelivery({ settings: { idempotencyMs: 40 * DAY_MS } });
    const at = harness.now() - 31 * DAY_MS;
    const keyed = await storeMessage(company, { status: "sent", accepted_at: at, idempotency_key: "k" });
    await purge(harness);
    expect(await exists(keyed)).toBe(true);
    // A test with a later clock may have moved the roll-up mark.
    const [mark] = await readRows(stats_marks, undefined);
    const behind = Math.max(harness.now(), mark?.counted_before ?? 0) + 1;
    const later = startDelivery({ at: behind + 40 * DAY_MS });
    const uncounted = await storeMessage(company, { status: "sent", accepted_at: behind });
    await purge(later);
    expect([await exists(keyed), await exists(uncounted)]).toEqual([false, true]);
  });

  it("deletes idempotency rows past their window, expired suppressions, and roll-ups and audit entries after 400 days", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const now = harness.now();
    for (const [key, age] of [
      ["old", DAY_MS + 1],
      ["new", DAY_MS - 1],
    ] as const) {
      await insertRow(send_requests, {
        id: idAt(now - age),
        service: "s",
        company_id: company,
        idempotency_key: key,
        path: "/",
        fingerprint: "f",
        response: {},
        created_at: now - age,
      });
    }
    for (const [hmac, expiresAt] of [
      ["ended", now - 1],
      ["running", now + 1],
      ["endless", null],
    ] as const) {
      await suppressHash(company, hmac, { reason: "manual", expires_at: expiresAt });
    }
    for (const days of [399, 400, 401]) {
      const at = now - days * DAY_MS;
      const day = new Date(at).toISOString().slice(0, 10);
      await insertRow(stats_days, { company_id: company, day, lane: "auth", event_type: "e", sent: 1 });
      await insertRow(audit_log, {
        at,
        actor_kind: "session",
        company_id: company,
        action: "a",
        target: String(days),
        changes: "{}",
      });
    }
    await purge(harness);
    await purge(harness);
    const requests = await readRows(send_requests, eq(send_requests.company_id, company));
    expect(requests.map((row) => row.idempotency_key)).toEqual(["new"]);
    const suppressed = await readRows(suppressions, eq(suppressions.company_id, company), asc(suppressions.id));
    expect(suppressed.map((row) => row.email_hmac)).toEqual(["running", "endless"]);
    const audit = await readRows(audit_log, eq(audit_log.company_id, company), asc(audit_log.id));
    expect(audit.map((row) => row.target)).toEqual(["399", "400"]);
    expect(await countRows(stats_days, eq(stats_days.company_id, company))).toBe(2);
  });
});

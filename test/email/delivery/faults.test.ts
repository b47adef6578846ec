import { describe, expect, it } from "vitest";
import { claimMessages } from "../../../workers/email/delivery/attempts/claim.store";
import { settleAttempt } from "../../../workers/email/delivery/attempts/settlement";
import { settleMessages } from "../../../workers/email/delivery/attempts/settlement.store";
import { markStarted } from "../../../workers/email/delivery/bulk/start.store";
import { cancelMessage } from "../../../workers/email/delivery/messages/message.store";
import { sweepQueue } from "../../../workers/email/operations/jobs/sweep";
import { breakDb, ConsumerDied } from "../../support/db/broken-db";
import { deliverNow } from "../../support/email/deliver-now";
import { accept, createCompany, type Harness, startDelivery, withDb } from "../../support/email/delivery";
import { countsOf, eventsOf, readMessage, storeMessage } from "../../support/email/messages";
import { changeMessage } from "../../support/email/rows";

const LEASE_MS = 30_000;

/** Runs the sweep and the queue until the message is final, without further faults. */
async function recover(harness: Harness, id: string) {
  for (let minute = 0; minute < 5; minute++) {
    harness.advance(60_000);
    await sweepQueue(harness.build());
    await harness.consumeIds([id]);
  }
}

describe("a killed and repeated consumer", () => {
  it.each([
    ["before the claim", (harness: Harness) => ({ platformDb: breakDb(harness.build().platformDb, "before", 1) }), 1],
    ["after the claim", (harness: Harness) => ({ platformDb: breakDb(harness.build().platformDb, "after", 1) }), 1],
    [
      "after the provider accepted, before the result is stored",
      (harness: Harness) => ({ platformDb: breakDb(harness.build().platformDb, "before", 2) }),
      2,
    ],
    [
      "after the result is stored, before the acknowledgement",
      (harness: Harness) => ({ platformDb: breakDb(harness.build().platformDb, "after", 2) }),
      1,
    ],
  ])("loses no message and uses one idempotency key when killed %s", async (_when, fault, calls) => {
    const harness = startDelivery();
    const company = createCompany();
    const id = await storeMessage(company, { expires_at: harness.now() + 3_600_000 });
    const dying = harness.build(fault(harness));
    expect(await harness.consumeIds([id], "auth", dying)).toBe("retried");
    // The queue redelivers the batch immediately, while the lease may still be active.
    expect(await harness.consumeIds([id])).toBe("acked");
    await recover(harness, id);

    expect(await readMessage(id)).toMatchObject({ status: "sent", variables_enc: null, lease_token: null });
    expect(harness.calls).toHaveLength(calls);
    expect(new Set(harness.calls.map((call) => call.idempotencyKey))).toEqual(new Set([`msg_${id}`]));
    expect((await eventsOf(id)).filter((type) => type === "sent")).toHaveLength(1);
    expect(await countsOf(company)).toEqual({ sent: 1 });
  });

  it("repeats an interrupted provider request with the same key", async () => {
    const harness = startDelivery();
    const id = await storeMessage(createCompany(), { expires_at: harness.now() + 3_600_000 });
    let abandoned = () => {};
    harness.state.respond = () =>
      new Promise<Response>((resolve) => {
        abandoned = () => resolve(Response.json({ id: "late" }));
      });
    const lost = harness.consumeIds([id]);
    await expect.poll(() => harness.calls.length).toBe(1);
    harness.state.respond = accept;
    await recover(harness, id);
    expect(await readMessage(id)).toMatchObject({ status: "sent", provider_message_id: `prov-msg_${id}` });
    // The first request returns after all. It has lost its lease, so it changes nothing.
    abandoned();
    await lost;
    expect(await readMessage(id)).toMatchObject({ status: "sent", provider_message_id: `prov-msg_${id}` });
    expect(harness.calls.map((call) => call.idempotencyKey)).toEqual([`msg_${id}`, `msg_${id}`]);
    expect((await eventsOf(id)).filter((type) => type === "sent")).toHaveLength(1);
  });

  it("completes an interrupted sweep in the next one", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const id = await storeMessage(company);
    harness.advance(120_000);
    for (const when of ["before", "after"] as const) {
      const services = harness.build();
      await expect(sweepQueue(withDb(services, breakDb(services.platformDb, when, 2)))).rejects.toThrow(ConsumerDied);
    }
    await sweepQueue(harness.build());
    expect(await readMessage(id)).toMatchObject({ status: "expired", variables_enc: null });
    expect(await eventsOf(id)).toEqual(["expired"]);
    expect(await countsOf(company)).toEqual({ expired: 1 });
  });
});

describe("a queue message", () => {
  it("is enqueued again by the sweep when it was lost", async () => {
    const harness = startDelivery();
    const id = await storeMessage(createCompany());
    harness.advance(5000);
    await sweepQueue(harness.build());
    const again = harness.enqueued.find(({ ids }) => ids.includes(id));
    expect(await harness.consumeIds(again?.ids ?? [])).toBe("acked");
    expect((await readMessage(id)).status).toBe("sent");
  });

  it("causes one provider request when it is duplicated in one batch and in parallel batches", async () => {
    const harness = startDelivery();
    const id = await storeMessage(createCompany());
    const body = { v: 1, kind: "send", ids: [id], request_id: "r" };
    const results = await Promise.all([
      harness.consumeBodies([body, body], "auth"),
      harness.consumeIds([id]),
      harness.consumeIds([id, id]),
    ]);
    await harness.consumeIds([id]);
    expect(results).toEqual(["acked", "acked", "acked"]);
    expect(harness.calls).toHaveLength(1);
    expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 1 });
  });

  it.each([
    ["null", null],
    ["a text", "send"],
    ["another version", { v: 2, kind: "send", ids: [], request_id: "r" }],
    ["an invalid id", { v: 1, kind: "send", ids: ["x'; DROP TABLE messages"], request_id: "r" }],
    ["too many ids", { v: 1, kind: "send", ids: Array(51).fill("0".repeat(32)), request_id: "r" }],
    ["no ids", { v: 1, kind: "send", request_id: "r" }],
  ])("is acknowledged without stopping the others when it is malformed (%s)", async (_title, body) => {
    const harness = startDelivery();
    const id = await storeMessage(createCompany());
    expect(await harness.consumeBodies([body, { v: 1, kind: "send", ids: [id], request_id: "r" }], "auth")).toBe(
      "acked",
    );
    expect((await readMessage(id)).status).toBe("sent");
  });
});

describe("the provider", () => {
  it("receives the same idempotency key again after it accepted a mail without a timely response", async () => {
    const harness = startDelivery({ settings: { apiTimeoutMs: 50 } });
    harness.state.respond = (call, request, init) =>
      call > 1
        ? accept(call, request, init)
        : new Promise((_resolve, reject) => {
            init.signal?.addEventListener("abort", () => reject(new Error("aborted")));
          });
    const id = await storeMessage(createCompany());
    await harness.consumeIds([id]);
    expect(await readMessage(id)).toMatchObject({ status: "retrying", last_error_code: "provider_timeout" });
    harness.advance(2000);
    await harness.consumeIds([id]);
    expect(await readMessage(id)).toMatchObject({ status: "sent", last_error_code: null });
    expect(harness.calls.map((call) => call.idempotencyKey)).toEqual([`msg_${id}`, `msg_${id}`]);
    expect(harness.calls[0]?.bearer).toBe(harness.calls[1]?.bearer);
  });

  it.each(["no response again", "another code", "no further attempt"])(
    "may have accepted a mail without a timely response, so the message fails instead of expiring (%s)",
    async (then) => {
      const harness = startDelivery({ settings: { apiTimeoutMs: 50 } });
      harness.state.respond = (call, _request, init) =>
        call > 1 && then === "another code"
          ? new Response(null, { status: 429 })
          : new Promise((_resolve, reject) => {
              init.signal?.addEventListener("abort", () => reject(new Error("aborted")));
            });
      const company = createCompany();
      const id = await storeMessage(company, { expires_at: harness.now() + 20_000 });
      await harness.consumeIds([id]);
      for (let second = 2; second < 20 && then !== "no further attempt"; second += 2) {
        harness.advance(2000);
        await harness.consumeIds([id]);
      }
      harness.advance(20_000);
      await sweepQueue(harness.build());
      expect(await readMessage(id)).toMatchObject({ status: "failed", last_error_code: "delivery_unknown" });
      const events = await eventsOf(id);
      expect([events.at(-1), events.includes("expired")]).toEqual(["failed", false]);
    },
  );

  it("causes a retry of the message when it breaks the connection", async () => {
    const harness = startDelivery();
    harness.state.respond = () => {
      throw new TypeError("connection reset");
    };
    const id = await storeMessage(createCompany());
    await harness.consumeIds([id]);
    expect(await readMessage(id)).toMatchObject({ status: "retrying", last_error_code: "provider_unreachable" });
  });
});

describe("a lost lease", () => {
  const claim = (harness: Harness, id: string, token: string) =>
    claimMessages(harness.build().platformDb, {
      ids: [id],
      token,
      lane: "auth",
      now: harness.now(),
      leaseMs: LEASE_MS,
      dueUntil: harness.now(),
      platformFingerprint: "",
    });

  it("prevents a late result from changing the message", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const id = await storeMessage(company, { expires_at: harness.now() + 3_600_000 });
    const [row] = (await claim(harness, id, "first")).rows;
    if (row === undefined) throw new Error("not claimed");
    harness.advance(LEASE_MS);
    await sweepQueue(harness.build());
    await claim(harness, id, "second");
    const late = settleAttempt(
      row,
      { kind: "final", code: "provider_rejected" },
      { sender: null, canSwitch: false, isHeldByPause: false, now: harness.now(), retriesAtOnce: false, breaker: null },
    );
    const { webhooks } = harness.build();
    await settleMessages(
      webhooks,
      webhooks.platformDb,
      { settlements: [late], pauses: [], events: [], directIds: [] },
      harness.now(),
    );
    expect(await readMessage(id)).toMatchObject({ status: "sending", lease_token: "second", attempt_count: 2 });
    expect(await eventsOf(id)).toEqual(["retrying"]);
    expect(await countsOf(company)).toEqual({ queued: 1 });
  });

  it("prevents the mark that bulk mail has started", async () => {
    const harness = startDelivery();
    const id = await storeMessage(createCompany());
    await claim(harness, id, "holder");
    const mark = async (token: string) =>
      (await harness.build().platformDb.all(markStarted({ ids: [id], token, now: harness.now() }))).length;
    expect(await mark("another")).toBe(0);
    expect(await mark("holder")).toBe(1);
    expect((await readMessage(id)).data_started).toBe(true);
    harness.advance(LEASE_MS);
    expect(await mark("holder")).toBe(0);
  });

  it("returns the claimed rows again when only the response of the claim was lost", async () => {
    const harness = startDelivery();
    const id = await storeMessage(createCompany());
    await claim(harness, id, "same");
    const repeated = await claim(harness, id, "same");
    expect(repeated.rows.map((row) => [row.id, row.attempt_count])).toEqual([[id, 1]]);
    expect((await claim(harness, id, "other")).rows).toEqual([]);
  });
});

describe("cancel and claim", () => {
  const cancel = (harness: Harness, company: number, id: string) =>
    cancelMessage(harness.build().platformDb, { companyId: company, id, now: harness.now() }, []);

  it("lets either the cancellation or the claim succeed when they race for one message", async () => {
    for (let round = 0; round < 10; round++) {
      const harness = startDelivery();
      const company = createCompany();
      const id = await storeMessage(company);
      const deliver = () => deliverNow(harness.build(), [id], "auth");
      // The cancellation starts first in half of the rounds, and the claim in the other half.
      const cancelled = round % 2 === 0 ? cancel(harness, company, id) : null;
      const delivered = deliver();
      const [isCancelled] = await Promise.all([cancelled ?? cancel(harness, company, id), delivered]);
      const winner = isCancelled ? "cancelled" : "sent";
      expect(await readMessage(id)).toMatchObject({ status: winner, variables_enc: null });
      expect(harness.calls).toHaveLength(isCancelled ? 0 : 1);
      expect(await eventsOf(id)).toEqual([winner]);
      expect(await countsOf(company)).toEqual({ [winner]: 1 });
    }
  });

  it("does not claim a cancelled message, and does not cancel a message that is being sent", async () => {
    const harness = startDelivery();
    const company = createCompany();
    const id = await storeMessage(company);
    expect(await cancel(harness, company, id)).toBe(true);
    await harness.consumeIds([id]);
    expect(harness.calls).toEqual([]);
    const sending = await storeMessage(company, {
      status: "sending",
      lease_token: "t",
      locked_until: harness.now() + 1,
    });
    expect(await cancel(harness, company, sending)).toBe(false);
    await changeMessage(sending, { status: "cancelled" });
  });
});

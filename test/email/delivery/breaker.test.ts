import { asc, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { BreakerRow } from "../../../db/email/rows";
import { sender_breakers } from "../../../db/email/schema";
import type { Lane } from "../../../schemas/email/delivery/lanes";
import { send, startCompany } from "../../support/email/admin";
import { deliverNow } from "../../support/email/deliver-now";
import {
  type ApiResponder,
  accept,
  createCompany,
  type Harness,
  rejectWith,
  startDelivery,
  storeProvider,
  withDb,
} from "../../support/email/delivery";
import { startEmail } from "../../support/email/email";
import { attemptsOf, eventsOf, readMessage, storeMessage } from "../../support/email/messages";
import { changeMessage, readRows } from "../../support/email/rows";

/** Returns the circuit breakers of a company's senders. */
async function breakersOf(companyId: number): Promise<Omit<BreakerRow, "company_id">[]> {
  const { company_id, scope, lane } = sender_breakers;
  const rows = await readRows(sender_breakers, eq(company_id, companyId), asc(scope), asc(lane));
  return rows.map(({ company_id: _company, ...breaker }) => breaker);
}

/** Creates a company with its own mail API, whose API key is `key-<company>`. */
async function startSender(companyId = createCompany()): Promise<number> {
  const bulk_from_email = "news@aster.example";
  await storeProvider(companyId, { kind: "api", api_key: `key-${companyId}` }, { bulk_from_email });
  return companyId;
}

/** Returns a mail API that rejects the API keys of these companies with 503 and accepts all others. */
const rejectByProvider =
  (...companies: number[]): ApiResponder =>
  (call, request, init) =>
    (companies.some((company) => request.bearer === `key-${company}`) ? rejectWith(503) : accept)(call, request, init);

/** Stores messages for the company's own sender, accepted now. */
function storeMessages(companyId: number, lane: Lane, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => storeMessage(companyId, { lane, scope: "company" })));
}

/** Delivers messages, and then the messages of each wake-up message without a delay, as the queue does. */
async function deliver(harness: Harness, ids: string[], lane: Lane): Promise<void> {
  let due = ids;
  while (due.length > 0) {
    const before = harness.enqueued.length;
    expect(await harness.consumeIds(due, lane)).toBe("acked");
    due = harness.enqueued.slice(before).flatMap((wakeUp) => (wakeUp.delaySeconds === 0 ? wakeUp.ids : []));
  }
}

/** Creates a company and opens its breaker for the lane with five failures. */
async function startOpen(lane: Lane, harness: Harness): Promise<number> {
  const company = await startSender();
  harness.state.respond = rejectByProvider(company);
  await deliver(harness, await storeMessages(company, lane, 5), lane);
  expect(await breakersOf(company)).toEqual([
    { scope: "company", lane, failures: 10, open_until: harness.now() + 60_000, opens: 1 },
  ]);
  harness.calls.length = 0;
  harness.enqueued.length = 0;
  return company;
}

describe("breaker failures", () => {
  it("open the breaker for 60 s after five in a row", async () => {
    const company = await startSender();
    const harness = startDelivery({ respond: rejectByProvider(company) });
    await deliver(harness, await storeMessages(company, "transactional", 4), "transactional");
    expect(await breakersOf(company)).toMatchObject([{ failures: 8, open_until: 0, opens: 0 }]);
    await deliver(harness, await storeMessages(company, "transactional", 1), "transactional");
    expect(await breakersOf(company)).toEqual([
      { scope: "company", lane: "transactional", failures: 10, open_until: harness.now() + 60_000, opens: 1 },
    ]);
  });

  it("open the breaker when every second mail fails, because an acceptance offsets half a failure", async () => {
    const company = await startSender();
    let calls = 0;
    const alternate: ApiResponder = (...call) => (calls++ % 2 === 0 ? rejectWith(429) : accept)(...call);
    const harness = startDelivery({ respond: alternate });
    for (let i = 0; i < 16; i++) await deliver(harness, await storeMessages(company, "bulk", 1), "bulk");
    expect(await breakersOf(company)).toMatchObject([{ failures: 8, opens: 0 }]);
    await deliver(harness, await storeMessages(company, "bulk", 1), "bulk");
    expect(await breakersOf(company)).toMatchObject([{ failures: 10, opens: 1, open_until: harness.now() + 60_000 }]);
  });

  it("leave the breaker closed when one mail in three fails", async () => {
    const company = await startSender();
    let calls = 0;
    const harness = startDelivery({ respond: (...call) => (calls++ % 3 === 0 ? rejectWith(503) : accept)(...call) });
    for (let i = 0; i < 3; i++) await deliver(harness, await storeMessages(company, "bulk", 12), "bulk");
    expect(harness.calls).toHaveLength(36);
    expect((await breakersOf(company)).filter(({ opens }) => opens > 0)).toEqual([]);
  });

  it("count only when a retry may help", async () => {
    const company = await startSender();
    const harness = startDelivery({ respond: rejectWith(422) });
    await deliver(harness, await storeMessages(company, "bulk", 6), "bulk");
    expect(harness.calls).toHaveLength(6);
    expect(await breakersOf(company)).toEqual([]);
  });

  it("count separately for each company, lane and scope", async () => {
    const harness = startDelivery();
    const company = await startOpen("auth", harness);
    const neighbour = await startSender();
    const others: [number, Lane][] = [
      [company, "transactional"],
      [company, "bulk"],
      [neighbour, "auth"],
    ];
    harness.state.respond = accept;
    for (const [owner, lane] of others) {
      const [id = ""] = await storeMessages(owner, lane, 1);
      await deliver(harness, [id], lane);
      expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "company" });
    }
    const platform = await storeMessage(company);
    await deliver(harness, [platform], "auth");
    expect(await readMessage(platform)).toMatchObject({ status: "sent", scope: "platform" });
    expect(await breakersOf(company)).toMatchObject([{ scope: "company", lane: "auth", opens: 1 }]);
  });

  it("count once each when concurrent consumers have the same messages and repeat each batch", async () => {
    const company = await startSender();
    const harness = startDelivery({ respond: rejectByProvider(company) });
    const ids = await storeMessages(company, "transactional", 5);
    const consume = () => {
      const services = harness.build();
      // Simulates a connection that broke before the response.
      const batch = (async (statements: never) => {
        await services.platformDb.batch(statements);
        return services.platformDb.batch(statements);
      }) as typeof services.platformDb.batch;
      return harness.consumeIds(ids, "transactional", withDb(services, { ...services.platformDb, batch }));
    };
    await Promise.all([consume(), consume(), consume()]);
    expect(harness.calls).toHaveLength(5);
    expect(await breakersOf(company)).toMatchObject([{ failures: 10, opens: 1, open_until: harness.now() + 60_000 }]);
  });

  it("add up across concurrent consumers", async () => {
    const company = await startSender();
    const harness = startDelivery({ respond: rejectByProvider(company) });
    const ids = await storeMessages(company, "transactional", 5);
    await Promise.all(ids.map((id) => harness.consumeIds([id], "transactional")));
    expect(await breakersOf(company)).toMatchObject([{ failures: 10, opens: 1 }]);
  });

  it("do not count when the lease is lost", async () => {
    const company = await startSender();
    const harness = startDelivery();
    harness.state.respond = async (_call, request) => {
      await changeMessage(request.idempotencyKey.slice(4), { lease_token: "another" });
      return new Response("no", { status: 503 });
    };
    await harness.consumeIds(await storeMessages(company, "transactional", 5), "transactional");
    expect(harness.calls).toHaveLength(5);
    expect(await breakersOf(company)).toEqual([]);
  });
});

describe("an open breaker", () => {
  it("postpones non-auth mail until it closes, without an attempt, in two round trips", async () => {
    const harness = startDelivery();
    const company = await startOpen("transactional", harness);
    const { open_until } = (await breakersOf(company))[0] ?? { open_until: 0 };
    harness.advance(1500);
    const [id = ""] = await storeMessages(company, "transactional", 1);
    const services = harness.build();
    await harness.consumeIds([id], "transactional", services);
    expect(services.platformDb.stats.roundTrips).toBe(2);
    expect(harness.calls).toEqual([]);
    expect(await readMessage(id)).toMatchObject({
      status: "retrying",
      attempt_count: 0,
      claim_count: 0,
      next_attempt_at: open_until,
      lease_token: null,
      last_error_code: null,
    });
    expect(await eventsOf(id)).toEqual([]);
    expect(harness.enqueued).toEqual([{ lane: "transactional", ids: [id], delaySeconds: 59 }]);
    expect(await attemptsOf(id)).toMatchObject([{ outcome: "postponed", scope: "company", wait_seconds: 59 }]);
  });

  it("stops the remaining messages of the claim in which it opens", async () => {
    const company = await startSender();
    const harness = startDelivery({ respond: rejectByProvider(company) });
    const ids = await storeMessages(company, "bulk", 20);
    await deliver(harness, ids, "bulk");
    // Four more requests may be in flight when the fifth failure is known.
    expect(harness.calls.length).toBeLessThanOrEqual(9);
    const rows = await Promise.all(ids.map(readMessage));
    const unattempted = rows.filter(({ attempt_count }) => attempt_count === 0);
    expect(unattempted).toHaveLength(20 - harness.calls.length);
    for (const row of unattempted) {
      expect(row).toMatchObject({ status: "retrying", next_attempt_at: harness.now() + 60_000 });
    }
  });

  it("sends auth mail through the other sender immediately, in two round trips", async () => {
    const harness = startDelivery();
    const company = await startOpen("auth", harness);
    const [id = ""] = await storeMessages(company, "auth", 1);
    const services = harness.build();
    await harness.consumeIds([id], "auth", services);
    expect(services.platformDb.stats.roundTrips).toBe(2);
    expect(harness.calls.map(({ bearer }) => bearer)).toEqual(["re_platform_key"]);
    expect(harness.calls[0]?.mail.from).toBe('"Aster via Platform" <no-reply@platform.example.com>');
    expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "platform", attempt_count: 1 });
    expect(await attemptsOf(id)).toMatchObject([{ scope: "platform", outcome: "accepted", reason: "breaker_open" }]);
    // The platform's acceptance does not close the breaker of the company's sender.
    expect(await breakersOf(company)).toMatchObject([{ scope: "company", opens: 1 }]);
  });

  it("still attempts auth mail without another sender, and closes after an acceptance", async () => {
    const company = createCompany();
    const harness = startDelivery({ respond: rejectWith(503) });
    const failing = await Promise.all(Array.from({ length: 5 }, () => storeMessage(company)));
    await deliver(harness, failing, "auth");
    expect(await breakersOf(company)).toMatchObject([{ scope: "platform", lane: "auth", opens: 1 }]);
    harness.state.respond = accept;
    const id = await storeMessage(company);
    await deliver(harness, [id], "auth");
    expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "platform", attempt_count: 1 });
    expect(await breakersOf(company)).toEqual([]);
  });

  it("does not postpone mail in sync mode", async () => {
    const harness = startDelivery();
    const company = await startOpen("transactional", harness);
    harness.state.respond = accept;
    const [id = ""] = await storeMessages(company, "transactional", 1);
    await deliverNow(harness.build(), [id], "transactional", { sync: true });
    expect(await readMessage(id)).toMatchObject({ status: "sent", attempt_count: 1 });
  });
});

describe("a breaker whose open time has passed", () => {
  it("allows one attempt, whose failure opens it again for twice as long, up to 600 s", async () => {
    const harness = startDelivery();
    const company = await startOpen("bulk", harness);
    harness.advance(60_000);
    for (const [index, seconds] of [120, 240, 480, 600, 600].entries()) {
      const ids = await storeMessages(company, "bulk", 8);
      harness.calls.length = 0;
      await deliver(harness, ids, "bulk");
      expect(harness.calls).toHaveLength(1);
      const until = harness.now() + seconds * 1000;
      expect(await breakersOf(company)).toMatchObject([{ open_until: until, opens: index + 2 }]);
      const waiting = (await Promise.all(ids.map(readMessage))).filter(({ attempt_count }) => attempt_count === 0);
      expect(waiting.map(({ next_attempt_at }) => next_attempt_at)).toEqual(Array(7).fill(until));
      harness.advance(seconds * 1000);
    }
  });

  it("allows one attempt, whose acceptance closes it for all messages", async () => {
    const harness = startDelivery();
    const company = await startOpen("transactional", harness);
    const ids = await storeMessages(company, "transactional", 8);
    await deliver(harness, ids, "transactional");
    expect(harness.calls).toEqual([]);
    harness.advance(60_000);
    harness.state.respond = accept;
    await deliver(harness, ids, "transactional");
    const rows = await Promise.all(ids.map(readMessage));
    expect(rows.map(({ status, attempt_count }) => [status, attempt_count])).toEqual(Array(8).fill(["sent", 1]));
    expect(await breakersOf(company)).toEqual([]);
  });

  it("is not changed by a permanently rejected mail, and allows the next attempt", async () => {
    const harness = startDelivery();
    const company = await startOpen("transactional", harness);
    harness.advance(60_000);
    harness.state.respond = rejectWith(422);
    const ids = await storeMessages(company, "transactional", 3);
    await deliver(harness, ids, "transactional");
    expect(harness.calls).toHaveLength(3);
    expect((await Promise.all(ids.map(readMessage))).map(({ status }) => status)).toEqual(Array(3).fill("failed"));
    expect(await breakersOf(company)).toMatchObject([{ failures: 10, opens: 1 }]);
  });
});

describe("new credentials", () => {
  it("close the breakers of the company's sender, unlike other changes of the provider", async () => {
    const email = await startEmail();
    const { companyId, owner } = await startCompany(email);
    await startSender(companyId);
    const harness = startDelivery({ respond: rejectByProvider(companyId) });
    const put = (json: unknown) => send(email, owner, { method: "PUT", path: "/api/v1/provider", json });
    for (const lane of ["transactional", "auth"] as const) {
      await deliver(harness, await storeMessages(companyId, lane, 5), lane);
    }
    expect((await put({ from_email: "new@aster.example", from_name: "Aster" })).status).toBe(200);
    expect(await breakersOf(companyId)).toHaveLength(2);
    expect((await put({ from_email: "new@aster.example", credentials: { api_key: "new-key" } })).status).toBe(200);
    expect(await breakersOf(companyId)).toEqual([]);
    const [id = ""] = await storeMessages(companyId, "transactional", 1);
    await deliver(harness, [id], "transactional");
    expect(await readMessage(id)).toMatchObject({ status: "sent", scope: "company" });
  });
});

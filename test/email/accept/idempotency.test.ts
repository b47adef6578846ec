import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { message_events, messages, send_requests } from "../../../db/email/schema";
import { clock } from "../../../workers/kit/clock";
import { createKey, freshCompany, magicLink, startEmail } from "../../support/email/email";
import { countRows, deleteRows, pauseLane, readRows } from "../../support/email/rows";

const email = await startEmail();

type Answer = { idempotent_replay: boolean; messages: { id: string; to: string }[]; error_code?: string };

async function post(json: unknown, bearer: string, path = "/api/v1/send") {
  const response = await email.call(path, { bearer, json });
  return { response, status: response.status, body: (await response.json()) as Answer };
}

async function countMessages(companyId: number) {
  const queued = and(eq(message_events.company_id, companyId), eq(message_events.type, "queued"));
  return {
    messages: await countRows(messages, eq(messages.company_id, companyId)),
    events: await countRows(message_events, queued),
  };
}

describe("one idempotency key", () => {
  it("makes one message of 50 parallel sends, and 49 replays", async () => {
    const company = freshCompany();
    const { key } = await createKey();
    const body = magicLink(company, { idempotency_key: "race" });
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(body, key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(answers.filter(({ body }) => !body.idempotent_replay)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.messages)))).toHaveProperty("size", 1);
    expect(await countMessages(company)).toEqual({ messages: 1, events: 1 });
    const used = magicLink(company, { to: Array.from({ length: 4 }, () => ({ email: "Mina@example.com" })) });
    // The losers gave their reservations back: four more of five fit the recipient, a fifth does not.
    expect((await post(used, key)).status).toBe(202);
    expect((await post(magicLink(company), key)).status).toBe(429);
  });

  it("makes one message of parallel sends with different bodies and answers the others 409", async () => {
    const company = freshCompany();
    const { key } = await createKey();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        post(magicLink(company, { idempotency_key: "race", ttl_seconds: 60 + index }), key),
      ),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error_code === "idempotency_conflict")).toHaveLength(9);
    expect(await countMessages(company)).toMatchObject({ messages: 1 });
  });

  it("answers the stored messages whatever the order of keys, with the address put back", async () => {
    const company = freshCompany();
    const { key } = await createKey();
    const body = magicLink(company, { idempotency_key: "same" });
    const first = await post(body, key);
    const second = await post(Object.fromEntries(Object.entries(body).reverse()), key);
    expect(second.body).toEqual({ ...first.body, idempotent_replay: true });
    expect(email.acceptTripsOf(second.response)).toBe(2);
    const stored = await readRows(send_requests, eq(send_requests.company_id, company));
    const answer = JSON.stringify(stored.map(({ response }) => response));
    expect(answer).toContain("m***@example.com");
    expect(answer.toLowerCase()).not.toContain("mina@");
    await deleteRows(messages, eq(messages.company_id, company));
    expect((await post(body, key)).body.messages[0]?.to).toBe("m***@example.com");
  });

  it("replays during a pause and over a limit, and refuses another body", async () => {
    const company = freshCompany();
    const { key } = await createKey();
    const body = magicLink(company, { idempotency_key: "paused" });
    await post(body, key);
    await pauseLane("auth", company);
    expect((await post(body, key)).body.idempotent_replay).toBe(true);
    const other = await post({ ...body, ttl_seconds: 60 }, key);
    expect([other.status, other.body.error_code]).toEqual([409, "idempotency_conflict"]);
    expect((await post({ ...body, idempotency_key: "new" }, key)).body.error_code).toBe("lane_paused");
  });

  it("is shared by both paths, and not by services or companies", async () => {
    const [a, b] = [freshCompany(), freshCompany()];
    const { key } = await createKey();
    const other = await createKey({ service: "storage", prefixes: ["identity."] });
    await post(magicLink(a, { idempotency_key: "k" }), key);
    const { to: _to, ...rest } = magicLink(a, { idempotency_key: "k" });
    const batch = await post({ ...rest, items: [{ to: { email: "a@b.co" } }] }, key, "/api/v1/send/batch");
    expect(batch.body.error_code).toBe("idempotency_conflict");
    expect((await post(magicLink(b, { idempotency_key: "k" }), key)).body.idempotent_replay).toBe(false);
    expect((await post(magicLink(a, { idempotency_key: "k" }), other.key)).body.idempotent_replay).toBe(false);
  });

  it("may be used again after a refusal and after its window", async () => {
    const company = freshCompany();
    const { key } = await createKey();
    expect((await post(magicLink(company, { idempotency_key: "k", ttl_seconds: 0 }), key)).status).toBe(400);
    expect((await post(magicLink(company, { idempotency_key: "k" }), key)).body.idempotent_replay).toBe(false);
    const real = clock.now;
    clock.now = () => real() + 24 * 3_600_000 + 1000;
    try {
      const again = await post(magicLink(company, { idempotency_key: "k", ttl_seconds: 60 }), key);
      expect([again.status, again.body.idempotent_replay]).toEqual([202, false]);
    } finally {
      clock.now = real;
    }
  });

  it("stays out of the way of calls without a key", async () => {
    const company = freshCompany();
    const { key } = await createKey();
    await Promise.all([post(magicLink(company), key), post(magicLink(company, { idempotency_key: null }), key)]);
    expect(await countMessages(company)).toMatchObject({ messages: 2 });
  });
});

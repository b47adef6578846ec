import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { messages, send_requests } from "../../../db/email/schema";
import { clock } from "../../../workers/kit/clock";
import { loseAnswer } from "../../support/db/lost-answer";
import { createCompany, createKey, magicLink, startEmail, storeSuppression, testEnv } from "../../support/email/email";
import { countRows, deleteRows, pauseLane, readRows } from "../../support/email/rows";

const email = await startEmail();

type Answer = { idempotent_replay: boolean; messages: { id: string; to: string }[]; error_code?: string };

async function post(json: unknown, bearer: string, path = "/api/v1/send") {
  const response = await email.call(path, { bearer, json });
  return { response, status: response.status, body: (await response.json()) as Answer };
}

async function countMessages(companyId: number) {
  const stored = await readRows(messages, eq(messages.company_id, companyId));
  const events = stored.flatMap((row) => row.events.filter(({ type }) => type === "queued"));
  return { messages: stored.length, events: events.length };
}

describe("one idempotency key", () => {
  it("makes one message of 50 parallel sends, and 49 replays", async () => {
    const company = createCompany();
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
    const company = createCompany();
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
    const company = createCompany();
    const { key } = await createKey();
    const to = [{ email: "Mina@example.com" }, { email: "noa@example.com" }];
    const body = magicLink(company, { to, idempotency_key: "same" });
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

  it.each([
    ["queued", {}],
    ["suppressed", { template_key: "identity.group.created", variables: { display_name: "x" } }],
  ])("is kept by the %s message of a single recipient, which answers the same bytes", async (status, more) => {
    const company = createCompany();
    const platform = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: String(company) } });
    const { key } = await createKey();
    const address = `mina-${crypto.randomUUID()}@example.com`;
    if (status === "suppressed") await storeSuppression(company, address, { reason: "complaint" });
    const json = magicLink(company, { ...more, to: [{ email: address }], idempotency_key: "same" });
    const first = await platform.call("/api/v1/send", { bearer: key, json });
    const second = await platform.call("/api/v1/send", { bearer: key, json });
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(platform.acceptTripsOf(second)).toBe(2);
    const told = await first.text();
    expect(told).toContain(`"status":"${status}"`);
    expect(await second.text()).toBe(told.replace('"idempotent_replay":false', '"idempotent_replay":true'));
    expect(await countRows(send_requests, eq(send_requests.company_id, company))).toBe(0);
    const [row] = await readRows(messages, eq(messages.company_id, company));
    expect([row?.idempotency_key, row?.fingerprint?.length]).toEqual(["same", 64]);
  });

  it("is refused by either kind of request where the other one has it, whatever the turns let through", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const of = (recipients: number) => {
      const to = Array.from({ length: recipients }, (_, index) => ({ email: `r${index}@example.com` }));
      return magicLink(company, { to, ttl_seconds: 60 + recipients });
    };
    // Without limits there are no turns either: the statements decide alone.
    const free = await startEmail({
      vars: { EMAIL_COMPANY_AUTH_LIMIT: "0", EMAIL_RECIPIENT_AUTH_LIMIT: "0" },
    });
    for (const [first, second] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const json = { ...of(first), idempotency_key: `kinds-${first}` };
      const other = { ...of(second), idempotency_key: `kinds-${first}` };
      const answers = await Promise.all(
        [json, other, json, other].map((body) => free.call("/api/v1/send", { bearer: key, json: body })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([202, 202, 409, 409]);
    }
    const kept = await readRows(messages, eq(messages.company_id, company));
    const requests = await readRows(send_requests, eq(send_requests.company_id, company));
    const ofRow = new Set(requests.map(({ idempotency_key }) => idempotency_key));
    const ofMessage = kept.flatMap(({ idempotency_key }) => idempotency_key ?? []);
    expect(ofMessage.length + ofRow.size).toBe(2);
    expect(ofMessage.filter((used) => ofRow.has(used))).toEqual([]);
  });

  it("answers its own message when the answer of the batch got lost and it runs again", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const json = magicLink(company, { idempotency_key: "lost" });
    // The first batch reads what is known, the second one accepts.
    const bindings = { DB: loseAnswer(testEnv.DB, 2) };
    const first = await email.call("/api/v1/send", { bearer: key, json, bindings });
    const body = (await first.json()) as Answer;
    expect([first.status, body.idempotent_replay]).toEqual([202, false]);
    expect((await post(json, key)).body).toEqual({ ...body, idempotent_replay: true });
    expect(await countMessages(company)).toEqual({ messages: 1, events: 1 });
  });

  it("replays during a pause and over a limit, and refuses another body", async () => {
    const company = createCompany();
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
    const [a, b] = [createCompany(), createCompany()];
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
    const company = createCompany();
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
    const company = createCompany();
    const { key } = await createKey();
    await Promise.all([post(magicLink(company), key), post(magicLink(company, { idempotency_key: null }), key)]);
    expect(await countMessages(company)).toMatchObject({ messages: 2 });
  });
});

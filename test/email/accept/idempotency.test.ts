import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { messages, send_requests } from "../../../db/email/schema";
import { clock } from "../../../workers/kit/clock";
import { loseAnswer } from "../../support/db/lost-answer";
import { createCompany, createKey, magicLink, startEmail, storeSuppression, testEnv } from "../../support/email/email";
import { countRows, deleteRows, pauseLane, readRows } from "../../support/email/rows";

const email = await startEmail();

type SendResult = { idempotent_replay: boolean; messages: { id: string; to: string }[]; error_code?: string };

async function post(json: unknown, bearer: string, path = "/api/v1/send") {
  const response = await email.call(path, { bearer, json });
  return { response, status: response.status, body: (await response.json()) as SendResult };
}

async function countMessages(companyId: number) {
  const stored = await readRows(messages, eq(messages.company_id, companyId));
  const events = stored.flatMap((row) => row.events.filter(({ type }) => type === "queued"));
  return { messages: stored.length, events: events.length };
}

describe("idempotency keys of sends", () => {
  it("store one message for 50 parallel sends, and return 49 replays", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const body = magicLink(company, { idempotency_key: "race" });
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(body, key)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(responses.filter(({ body }) => !body.idempotent_replay)).toHaveLength(1);
    expect(new Set(responses.map(({ body }) => JSON.stringify(body.messages)))).toHaveProperty("size", 1);
    expect(await countMessages(company)).toEqual({ messages: 1, events: 1 });
    const fourMore = magicLink(company, { to: Array.from({ length: 4 }, () => ({ email: "Mina@example.com" })) });
    // The requests that stored nothing released their reservations, so four of the recipient's five auth messages are
    // left.
    expect((await post(fourMore, key)).status).toBe(202);
    expect((await post(magicLink(company), key)).status).toBe(429);
  });

  it("store one message for parallel sends with different bodies, and return 409 to the others", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        post(magicLink(company, { idempotency_key: "race", ttl_seconds: 60 + index }), key),
      ),
    );
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.error_code === "idempotency_conflict")).toHaveLength(9);
    expect(await countMessages(company)).toMatchObject({ messages: 1 });
  });

  it("return the stored messages with the address for any order of JSON keys", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const to = [{ email: "Mina@example.com" }, { email: "noa@example.com" }];
    const body = magicLink(company, { to, idempotency_key: "same" });
    const first = await post(body, key);
    const second = await post(Object.fromEntries(Object.entries(body).reverse()), key);
    expect(second.body).toEqual({ ...first.body, idempotent_replay: true });
    expect(email.acceptTripsOf(second.response)).toBe(2);
    const stored = await readRows(send_requests, eq(send_requests.company_id, company));
    const storedResponses = JSON.stringify(stored.map(({ response }) => response));
    expect(storedResponses).toContain("m***@example.com");
    expect(storedResponses.toLowerCase()).not.toContain("mina@");
    await deleteRows(messages, eq(messages.company_id, company));
    expect((await post(body, key)).body.messages[0]?.to).toBe("m***@example.com");
  });

  it.each([
    ["queued", {}],
    ["suppressed", { template_key: "identity.group.created", variables: { display_name: "x" } }],
  ])("are stored in the %s message of a single recipient, and replay the same bytes", async (status, more) => {
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
    const firstText = await first.text();
    expect(firstText).toContain(`"status":"${status}"`);
    expect(await second.text()).toBe(firstText.replace('"idempotent_replay":false', '"idempotent_replay":true'));
    expect(await countRows(send_requests, eq(send_requests.company_id, company))).toBe(0);
    const [row] = await readRows(messages, eq(messages.company_id, company));
    expect([row?.idempotency_key, row?.fingerprint?.length]).toEqual(["same", 64]);
  });

  it("cannot be shared by requests with one and with two recipients, even without idempotency locks", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const linkRequest = (recipients: number) => {
      const to = Array.from({ length: recipients }, (_, index) => ({ email: `r${index}@example.com` }));
      return magicLink(company, { to, ttl_seconds: 60 + recipients });
    };
    // Without limits there are no idempotency locks, so only the database statements decide.
    const free = await startEmail({
      vars: { EMAIL_COMPANY_AUTH_LIMIT: "0", EMAIL_RECIPIENT_AUTH_LIMIT: "0" },
    });
    for (const [first, second] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const json = { ...linkRequest(first), idempotency_key: `kinds-${first}` };
      const other = { ...linkRequest(second), idempotency_key: `kinds-${first}` };
      const responses = await Promise.all(
        [json, other, json, other].map((body) => free.call("/api/v1/send", { bearer: key, json: body })),
      );
      const statuses = responses.map(({ status }) => status).sort();
      expect(statuses).toEqual([202, 202, 409, 409]);
    }
    const stored = await readRows(messages, eq(messages.company_id, company));
    const requests = await readRows(send_requests, eq(send_requests.company_id, company));
    const requestKeys = new Set(requests.map(({ idempotency_key }) => idempotency_key));
    const messageKeys = stored.flatMap(({ idempotency_key }) => idempotency_key ?? []);
    expect(messageKeys.length + requestKeys.size).toBe(2);
    expect(messageKeys.filter((key) => requestKeys.has(key))).toEqual([]);
  });

  it("return the message when the response of the batch was lost and the batch runs again", async () => {
    const company = createCompany();
    const { key } = await createKey();
    const json = magicLink(company, { idempotency_key: "lost" });
    // The first batch reads the facts, and the second one stores the acceptance.
    const bindings = { DB: loseAnswer(testEnv.DB, 2) };
    const first = await email.call("/api/v1/send", { bearer: key, json, bindings });
    const body = (await first.json()) as SendResult;
    expect([first.status, body.idempotent_replay]).toEqual([202, false]);
    expect((await post(json, key)).body).toEqual({ ...body, idempotent_replay: true });
    expect(await countMessages(company)).toEqual({ messages: 1, events: 1 });
  });

  it("replay during a pause, and reject a different body", async () => {
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

  it("are shared by the paths for one send and for a batch, and separate for each service and company", async () => {
    const [a, b] = [createCompany(), createCompany()];
    const { key } = await createKey();
    const other = await createKey({ service: "storage", prefixes: ["identity."] });
    await post(magicLink(a, { idempotency_key: "k" }), key);
    const { to: _to, ...shared } = magicLink(a, { idempotency_key: "k" });
    const batch = await post({ ...shared, items: [{ to: { email: "a@b.co" } }] }, key, "/api/v1/send/batch");
    expect(batch.body.error_code).toBe("idempotency_conflict");
    expect((await post(magicLink(b, { idempotency_key: "k" }), key)).body.idempotent_replay).toBe(false);
    expect((await post(magicLink(a, { idempotency_key: "k" }), other.key)).body.idempotent_replay).toBe(false);
  });

  it("can be reused after a rejection and after their window", async () => {
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

  it("do not affect requests without a key", async () => {
    const company = createCompany();
    const { key } = await createKey();
    await Promise.all([post(magicLink(company), key), post(magicLink(company, { idempotency_key: null }), key)]);
    expect(await countMessages(company)).toMatchObject({ messages: 2 });
  });
});

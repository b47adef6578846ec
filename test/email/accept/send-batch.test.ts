import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { messages } from "../../../db/email/schema";
import { createCompany, createKey, magicLink, startEmail, storeSuppression } from "../../support/email/email";
import { countsOf } from "../../support/email/messages";
import { countRows, readRows } from "../../support/email/rows";

const email = await startEmail();
const PATH = "/api/v1/send/batch";

type BatchResult = {
  idempotent_replay: boolean;
  accepted: { index: number; id: string; status: string }[];
  rejected: { index: number; error_code: string }[];
  error_code?: string;
  field_errors?: unknown;
};

const link = { company_name: "Aster Labs", magic_link_url: "https://auth.example.com/verify?token=t" };

function batch(companyId: number, items: unknown, overrides: Record<string, unknown> = {}) {
  const { to: _to, variables: _variables, ...shared } = magicLink(companyId, overrides);
  return { ...shared, items };
}

async function post(json: unknown, bearer: string, worker = email) {
  const response = await worker.call(PATH, { bearer, json });
  return { response, status: response.status, body: (await response.json()) as BatchResult };
}

it("accepts the valid items and rejects each invalid one with its code, in order", async () => {
  const company = createCompany();
  const { key } = await createKey();
  await storeSuppression(company, "bounced@example.com", { reason: "hard_bounce" });
  const items = [
    { to: { email: "a@example.com", user_id: "7", time_zone: "Europe/Paris" }, variables: link },
    { to: { email: "nobody" }, variables: link },
    "item",
    { to: { email: "b@example.com", time_zone: "Mars/Olympus" }, variables: link },
    { to: { email: "bounced@example.com" }, variables: link },
    { to: { email: "c@example.com" }, variables: { ...link, magic_link_url: "https://evil.example/" } },
    { to: { email: "d@example.com" }, variables: [] },
    { to: { email: "e@example.com" }, variables: link },
    ...Array.from({ length: 6 }, () => ({ to: { email: "f@example.com" }, variables: link })),
  ];
  const { status, body } = await post(batch(company, items), key);
  expect(status).toBe(202);
  expect(body.accepted.map(({ index }) => index)).toEqual([0, 7, 8, 9, 10, 11, 12]);
  expect(body.accepted[0]).toEqual({ index: 0, id: expect.stringMatching(/^msg_[0-9a-f]{32}$/), status: "queued" });
  expect(body.rejected).toEqual([
    { index: 1, error_code: "recipient_invalid" },
    { index: 2, error_code: "validation_failed" },
    { index: 3, error_code: "validation_failed" },
    { index: 4, error_code: "recipient_suppressed" },
    { index: 5, error_code: "variable_url_not_allowed" },
    { index: 6, error_code: "validation_failed" },
    { index: 13, error_code: "recipient_rate_limited", retry_after: expect.any(Number) },
  ]);
});

it("stores 500 items of the maximum size with few statements, and replays them", async () => {
  const company = createCompany();
  const big = await startEmail({
    vars: { EMAIL_PLATFORM_COMPANY_IDS: String(company), EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "600" },
  });
  const { key } = await createKey();
  const items = Array.from({ length: 500 }, (_, index) => ({
    to: { email: `user${index}@example.com` },
    variables: { display_name: "x".repeat(8100) },
  }));
  const body = batch(company, items, { template_key: "identity.group.created", idempotency_key: "big" });
  const first = await post(body, key, big);
  expect(first.status).toBe(202);
  expect(first.body.accepted).toHaveLength(500);
  expect(big.acceptTripsOf(first.response)).toBeLessThanOrEqual(5);
  expect(big.largestBatch()).toBeLessThanOrEqual(12);
  expect(await countRows(messages, eq(messages.company_id, company))).toBe(500);
  const stored = await readRows(messages, eq(messages.company_id, company));
  expect(stored.flatMap(({ events }) => events.map(({ type }) => type))).toEqual(Array(500).fill("queued"));
  expect(await countsOf(company)).toEqual({ queued: 500 });
  expect((await post(body, key, big)).body).toEqual({ ...first.body, idempotent_replay: true });
  const more = batch(company, items.slice(0, 110), { template_key: "identity.group.created" });
  const limited = await post(more, key, big);
  expect(limited.body.accepted).toHaveLength(100);
  expect(new Set(limited.body.rejected.map(({ error_code }) => error_code))).toEqual(new Set(["company_rate_limited"]));
});

it("returns 202 even when no item of the batch was accepted", async () => {
  const { key } = await createKey();
  const { status, body } = await post(batch(createCompany(), [{}], { idempotency_key: "none" }), key);
  expect([status, body]).toEqual([
    202,
    { idempotent_replay: false, accepted: [], rejected: [{ index: 0, error_code: "validation_failed" }] },
  ]);
});

it.each([
  ["missing", undefined, "required"],
  ["an object", {}, "invalid"],
  ["empty", [], "required"],
  ["too long", Array.from({ length: 501 }, () => ({})), "too_many"],
])("rejects a batch whose items are %s", async (_name, items, code) => {
  const { key } = await createKey();
  const { status, body } = await post(batch(createCompany(), items, { language: "de" }), key);
  expect([status, body.error_code, body.field_errors]).toEqual([400, "validation_failed", { items: [code] }]);
});

it("checks the shared fields and the lane once for the whole batch", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const items = [{ to: { email: "a@example.com" }, variables: link }];
  expect((await post(batch(company, items), "esk_none")).status).toBe(401);
  expect((await post(batch(company, items, { language: "de" }), key)).body.error_code).toBe("language_not_available");
  expect((await post(batch(company, items, { lane: "bulk" }), key)).body.error_code).toBe("lane_requires_campaign");
  const other = batch(company, items, { template_key: "identity.group.created" });
  expect((await post(other, key)).body.error_code).toBe("platform_sender_not_allowed");
});

it("stores one batch for parallel requests with one key, and releases the reservations of the others", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const items = Array.from({ length: 10 }, (_, index) => ({ to: { email: `p${index}@example.com` }, variables: link }));
  const body = batch(company, items, { idempotency_key: "race" });
  const responses = await Promise.all(Array.from({ length: 12 }, () => post(body, key)));
  expect(responses.filter(({ body: { idempotent_replay } }) => !idempotent_replay)).toHaveLength(1);
  expect(new Set(responses.map(({ body: { accepted } }) => JSON.stringify(accepted)))).toHaveProperty("size", 1);
  expect(responses[0]?.body.accepted).toHaveLength(10);
  const more = await post(batch(company, [...items, ...items, ...items]), key);
  expect(more.body.accepted).toHaveLength(20);
});

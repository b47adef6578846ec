import { asc, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { messages } from "../../../db/email/schema";
import {
  createCompany,
  createKey,
  type EmailHarness,
  magicLink,
  startEmail,
  storeSuppression,
} from "../../support/email/email";
import { withShownTrace } from "../../support/email/messages";
import { readRows } from "../../support/email/rows";

type SendResult = { error_code?: string; field_errors?: unknown; rate?: unknown };

async function post(email: EmailHarness, json: unknown, bearer: string) {
  const response = await email.call("/api/v1/send", { bearer, json });
  const retryAfter = Number(response.headers.get("retry-after"));
  return { status: response.status, retryAfter, body: (await response.json()) as SendResult };
}

const email = await startEmail();

/** A rate limiter whose objects are unavailable. */
const awayLimiter = {
  idFromName: () => ({}),
  get: () => ({
    reserve: () => Promise.reject(new Error("unavailable")),
    release: () => Promise.reject(new Error("unavailable")),
  }),
};

it("accepts exactly five parallel auth messages to a recipient, ignoring upper and lower case in the address", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const send = (address: string) => post(email, magicLink(company, { to: [{ email: address }] }), key);
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, index) => send(index % 2 ? "kim@example.com" : "KIM@Example.com")),
  );
  const rejected = responses.filter(({ status }) => status === 429);
  expect(rejected).toHaveLength(7);
  for (const { body, retryAfter } of rejected) {
    expect(body).toMatchObject({
      error_code: "recipient_rate_limited",
      field_errors: { "to.0.email": ["recipient_rate_limited"] },
      rate: { limit: 5, window_seconds: 600 },
    });
    expect(retryAfter).toBeGreaterThan(500);
    expect(retryAfter).toBeLessThanOrEqual(600);
  }
  expect((await send("lee@example.com")).status).toBe(202);
});

/** Returns the body of a request that sends the mail about a sign-in on a new device. */
const newDevice = (company: number, address: string) =>
  magicLink(company, {
    template_key: "identity.auth.login.new_device_detected",
    to: [{ email: address }],
    variables: { company_name: "Aster", session_end_url: "https://auth.example.com/api/v1/session-end?token=t" },
  });

it("limits mail about new devices separately from links", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const statuses = async (runs: number, message: object, at = email) => {
    const list: number[] = [];
    for (let run = 0; run < runs; run++) list.push((await post(at, message, key)).status);
    return list;
  };
  const fiveAccepted = [202, 202, 202, 202, 202];
  const link = magicLink(company, { to: [{ email: "kim+x@example.com" }] });
  expect(await statuses(6, newDevice(company, "kim@example.com"))).toEqual([...fiveAccepted, 429]);
  expect(await statuses(6, link)).toEqual([...fiveAccepted, 429]);
  expect((await limitsOf(company)).map((limits) => JSON.stringify(limits))).toEqual(
    [1, 2, 3, 4, 5, 1, 2, 3, 4, 5].map((used, index) => JSON.stringify(authLimits(index + 1, used))),
  );
  // The database decides while the rate limiter is unavailable.
  const other = createCompany();
  const withoutLimiter = await startEmail({ vars: { RATE_LIMITER: awayLimiter as unknown as string } });
  expect(await statuses(6, newDevice(other, "mina@example.com"), withoutLimiter)).toEqual([...fiveAccepted, 429]);
  expect(await statuses(6, magicLink(other), withoutLimiter)).toEqual([...fiveAccepted, 429]);
});

it("counts subaddresses as one recipient, and keeps the address as written", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const send = (...list: string[]) =>
    post(email, magicLink(company, { to: list.map((address) => ({ email: address })) }), key);
  expect((await send("a+1@example.com", "A+2@example.com", "a@example.com")).status).toBe(202);
  const rejected = await send("a+3@example.com", "b@example.com", "a+4+x@example.com", "a+5@example.com");
  expect(rejected.body.field_errors).toEqual({
    "to.0.email": ["recipient_rate_limited"],
    "to.2.email": ["recipient_rate_limited"],
    "to.3.email": ["recipient_rate_limited"],
  });
  const last = await send("a+6@example.com", "a+7@example.com");
  expect(last.body).toMatchObject({ messages: [{ to: "a+6@example.com" }, { to: "a+7@example.com" }] });
  const rows = await readRows(messages, eq(messages.company_id, company));
  expect(new Set(rows.map(({ email_hmac }) => email_hmac)).size).toBe(5);
});

it("returns each rate-limited item of a batch with its retry time, even when the batch is repeated", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const { to: _, variables, ...message } = magicLink(company);
  const items = Array.from({ length: 6 }, (_, index) => ({ to: { email: `a+${index}@example.com` }, variables }));
  const json = { ...message, items: [...items, { to: { email: "none" } }], idempotency_key: "limited" };
  for (let call = 0; call < 2; call++) {
    const response = await email.call("/api/v1/send/batch", { bearer: key, json });
    const { rejected } = await response.json<{ rejected: Record<string, unknown>[] }>();
    expect(rejected).toEqual([
      { index: 5, error_code: "recipient_rate_limited", retry_after: expect.any(Number) },
      { index: 6, error_code: "recipient_invalid" },
    ]);
    expect(rejected[0]?.retry_after).toBeGreaterThan(500);
  }
});

it("accepts exactly thirty auth messages of a company, and counts each company separately", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const list = (count: number) =>
    Array.from({ length: count }, () => ({ email: `${crypto.randomUUID()}@example.com` }));
  expect((await post(email, magicLink(company, { to: list(28) }), key)).status).toBe(202);
  // A rejected request reserves nothing.
  const tooMany = await post(email, magicLink(company, { to: list(3) }), key);
  expect(tooMany.body).toMatchObject({ error_code: "company_rate_limited", rate: { limit: 30, window_seconds: 60 } });
  const responses = await Promise.all(
    Array.from({ length: 6 }, () => post(email, magicLink(company, { to: list(1) }), key)),
  );
  expect(responses.filter(({ status }) => status === 202)).toHaveLength(2);
  expect((await post(email, magicLink(createCompany(), { to: list(1) }), key)).status).toBe(202);
});

it("limits the transactional lane per recipient and company, and does not count rejected messages toward the company limit", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const limited = await startEmail({
    vars: {
      EMAIL_PLATFORM_COMPANY_IDS: String(company),
      EMAIL_COMPANY_TRANSACTIONAL_PER_HOUR: "3",
      EMAIL_RECIPIENT_TRANSACTIONAL_PER_HOUR: "2",
    },
  });
  const send = (address: string) =>
    post(
      limited,
      { company_id: company, template_key: "identity.group.created", to: [{ email: address }], variables: {} },
      key,
    );
  const codes = [];
  for (const address of ["a@b.co", "a@b.co", "a@b.co", "c@b.co", "d@b.co"]) {
    codes.push((await send(address)).body.error_code ?? "ok");
  }
  expect(codes).toEqual(["ok", "ok", "recipient_rate_limited", "ok", "company_rate_limited"]);
});

/** Returns the limits in the traces of a company's messages, oldest first. */
async function limitsOf(company: number): Promise<unknown[]> {
  const rows = await readRows(messages, eq(messages.company_id, company), asc(messages.id));
  return rows.map((row) => withShownTrace(row).trace.limits);
}

const authLimits = (company: number, recipient: number) => [
  { name: "company_auth", used: company, limit: 30 },
  { name: "recipient_auth", used: recipient, limit: 5 },
];

it("writes into the trace how much of each limit is used, including the message itself", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const send = (...list: string[]) => {
    const to = list.map((address) => ({ email: address }));
    return post(email, magicLink(company, { to }), key);
  };
  await send("kim@example.com");
  await send("KIM@example.com", "lee@example.com");
  // All recipients of a request share one reservation, so the company limit in each trace counts all of them.
  expect(await limitsOf(company)).toEqual([authLimits(1, 1), authLimits(3, 2), authLimits(3, 1)]);
});

it("shows only enabled limits in the trace, does not count suppressed recipients, and shows no limits for them", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const platform = await startEmail({ vars: { EMAIL_PLATFORM_COMPANY_IDS: String(company) } });
  await storeSuppression(company, "no@example.com", { reason: "manual" });
  const shared = { company_id: company, template_key: "identity.group.created" };
  const to = (address: string) => ({ to: { email: address }, variables: {} });
  const items = [to("a@example.com"), to("no@example.com"), to("b@example.com")];
  const batch = await platform.call("/api/v1/send/batch", { bearer: key, json: { ...shared, items } });
  expect(batch.status).toBe(202);
  const transactional = (used: number) => [{ name: "company_transactional", used, limit: 1000 }];
  expect(await limitsOf(company)).toEqual([transactional(1), transactional(2)]);
  const suppressed = { ...shared, to: [{ email: "no@example.com" }], variables: {} };
  expect((await post(platform, suppressed, key)).status).toBe(202);
  expect((await limitsOf(company)).at(-1)).toEqual([]);
});

it("treats a rate limit of 0 as disabled", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const free = await startEmail({ vars: { EMAIL_RECIPIENT_AUTH_LIMIT: "0", EMAIL_COMPANY_AUTH_LIMIT: "0" } });
  const to = Array.from({ length: 40 }, () => ({ email: "kim@example.com" }));
  expect((await post(free, magicLink(company, { to }), key)).status).toBe(202);
});

it("counts messages in the database when the rate limiter is unavailable", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const withoutLimiter = await startEmail({ vars: { RATE_LIMITER: awayLimiter as unknown as string } });
  const codes = [];
  for (let call = 0; call < 6; call++) codes.push((await post(withoutLimiter, magicLink(company), key)).status);
  expect(codes).toEqual([202, 202, 202, 202, 202, 429]);
  const tagged = { to: [{ email: "Mina+tag@example.com" }] };
  expect((await post(withoutLimiter, magicLink(company, tagged), key)).status).toBe(429);
  expect(await limitsOf(company)).toEqual([1, 2, 3, 4, 5].map((used) => authLimits(used, used)));
});

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

type Answer = { error_code?: string; field_errors?: unknown; rate?: unknown };

async function post(email: EmailHarness, json: unknown, bearer: string) {
  const response = await email.call("/api/v1/send", { bearer, json });
  const retryAfter = Number(response.headers.get("retry-after"));
  return { status: response.status, retryAfter, body: (await response.json()) as Answer };
}

const email = await startEmail();

/** Objects of the limits that do not answer. */
const awayLimiter = {
  idFromName: () => ({}),
  get: () => ({ reserve: () => Promise.reject(new Error("away")), release: () => Promise.reject(new Error("away")) }),
};

it("lets exactly five auth messages a recipient through, in parallel, in any case of the address", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const send = (address: string) => post(email, magicLink(company, { to: [{ email: address }] }), key);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => send(index % 2 ? "kim@example.com" : "KIM@Example.com")),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(7);
  for (const { body, retryAfter } of refused) {
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

/** The mail about a sign-in on a new device. */
const newDevice = (company: number, address: string) =>
  magicLink(company, {
    template_key: "identity.auth.login.new_device_detected",
    to: [{ email: address }],
    variables: { company_name: "Aster", session_end_url: "https://auth.example.com/api/v1/session-end?token=t" },
  });

it("counts mail about new devices apart from links, so that neither takes the room of the other", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const statuses = async (runs: number, message: object, at = email) => {
    const found: number[] = [];
    for (let run = 0; run < runs; run++) found.push((await post(at, message, key)).status);
    return found;
  };
  const five = [202, 202, 202, 202, 202];
  const link = magicLink(company, { to: [{ email: "kim+x@example.com" }] });
  expect(await statuses(6, newDevice(company, "kim@example.com"))).toEqual([...five, 429]);
  expect(await statuses(6, link)).toEqual([...five, 429]);
  expect((await limitsOf(company)).map((limits) => JSON.stringify(limits))).toEqual(
    [1, 2, 3, 4, 5, 1, 2, 3, 4, 5].map((used, at) => JSON.stringify(authLimits(at + 1, used))),
  );
  // By the database, while the object of the limits does not answer.
  const other = createCompany();
  const alone = await startEmail({ vars: { RATE_LIMITER: awayLimiter as unknown as string } });
  expect(await statuses(6, newDevice(other, "mina@example.com"), alone)).toEqual([...five, 429]);
  expect(await statuses(6, magicLink(other), alone)).toEqual([...five, 429]);
});

it("counts subaddresses as one person, and mails the address that was written", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const send = (...list: string[]) =>
    post(email, magicLink(company, { to: list.map((address) => ({ email: address })) }), key);
  expect((await send("a+1@example.com", "A+2@example.com", "a@example.com")).status).toBe(202);
  const refused = await send("a+3@example.com", "b@example.com", "a+4+x@example.com", "a+5@example.com");
  expect(refused.body.field_errors).toEqual({
    "to.0.email": ["recipient_rate_limited"],
    "to.2.email": ["recipient_rate_limited"],
    "to.3.email": ["recipient_rate_limited"],
  });
  const last = await send("a+6@example.com", "a+7@example.com");
  expect(last.body).toMatchObject({ messages: [{ to: "a+6@example.com" }, { to: "a+7@example.com" }] });
  const rows = await readRows(messages, eq(messages.company_id, company));
  expect(new Set(rows.map(({ email_hmac }) => email_hmac)).size).toBe(5);
});

it("tells each item of a batch that a limit refuses when it would fit, and again for a repeat", async () => {
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

it("lets exactly thirty auth messages a company through, and each company by itself", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const list = (count: number) =>
    Array.from({ length: count }, () => ({ email: `${crypto.randomUUID()}@example.com` }));
  expect((await post(email, magicLink(company, { to: list(28) }), key)).status).toBe(202);
  // A request that does not fit takes nothing.
  const tooMany = await post(email, magicLink(company, { to: list(3) }), key);
  expect(tooMany.body).toMatchObject({ error_code: "company_rate_limited", rate: { limit: 30, window_seconds: 60 } });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => post(email, magicLink(company, { to: list(1) }), key)),
  );
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(2);
  expect((await post(email, magicLink(createCompany(), { to: list(1) }), key)).status).toBe(202);
});

it("limits the transactional lane by the hour and leaves suppressed recipients out", async () => {
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

/** The limits in the traces of a company's messages, oldest first. */
async function limitsOf(company: number): Promise<unknown[]> {
  const rows = await readRows(messages, eq(messages.company_id, company), asc(messages.id));
  return rows.map((row) => withShownTrace(row).trace.limits);
}

const authLimits = (company: number, recipient: number) => [
  { name: "company_auth", used: company, limit: 30 },
  { name: "recipient_auth", used: recipient, limit: 5 },
];

it("writes into the trace what was used of each limit, the message included", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const send = (...list: string[]) => {
    const to = list.map((address) => ({ email: address }));
    return post(email, magicLink(company, { to }), key);
  };
  await send("kim@example.com");
  await send("KIM@example.com", "lee@example.com");
  // One reservation for all recipients of a request: each sees all of them.
  expect(await limitsOf(company)).toEqual([authLimits(1, 1), authLimits(3, 2), authLimits(3, 1)]);
});

it("writes what each message of a batch used, none for a limit that is off and none for a suppressed recipient", async () => {
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

it("turns a limit of 0 off", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const free = await startEmail({ vars: { EMAIL_RECIPIENT_AUTH_LIMIT: "0", EMAIL_COMPANY_AUTH_LIMIT: "0" } });
  const to = Array.from({ length: 40 }, () => ({ email: "kim@example.com" }));
  expect((await post(free, magicLink(company, { to }), key)).status).toBe(202);
});

it("decides by the database when the limiter does not answer", async () => {
  const company = createCompany();
  const { key } = await createKey();
  const alone = await startEmail({ vars: { RATE_LIMITER: awayLimiter as unknown as string } });
  const codes = [];
  for (let call = 0; call < 6; call++) codes.push((await post(alone, magicLink(company), key)).status);
  expect(codes).toEqual([202, 202, 202, 202, 202, 429]);
  const tagged = { to: [{ email: "Mina+tag@example.com" }] };
  expect((await post(alone, magicLink(company, tagged), key)).status).toBe(429);
  expect(await limitsOf(company)).toEqual([1, 2, 3, 4, 5].map((used) => authLimits(used, used)));
});

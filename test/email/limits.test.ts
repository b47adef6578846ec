import { expect, it } from "vitest";
import { createKey, type EmailHarness, freshCompany, magicLink, startEmail } from "../support/email";

type Answer = { error_code?: string; field_errors?: unknown; rate?: unknown };

async function post(email: EmailHarness, json: unknown, bearer: string) {
  const response = await email.call("/api/v1/send", { bearer, json });
  const retryAfter = Number(response.headers.get("retry-after"));
  return { status: response.status, retryAfter, body: (await response.json()) as Answer };
}

const email = await startEmail();

it("lets exactly five auth messages a recipient through, in parallel, in any case of the address", async () => {
  const company = freshCompany();
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

it("lets exactly thirty auth messages a company through, and each company by itself", async () => {
  const company = freshCompany();
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
  expect((await post(email, magicLink(freshCompany(), { to: list(1) }), key)).status).toBe(202);
});

it("limits the transactional lane by the hour and leaves suppressed recipients out", async () => {
  const company = freshCompany();
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

it("turns a limit of 0 off", async () => {
  const company = freshCompany();
  const { key } = await createKey();
  const free = await startEmail({ vars: { EMAIL_RECIPIENT_AUTH_LIMIT: "0", EMAIL_COMPANY_AUTH_LIMIT: "0" } });
  const to = Array.from({ length: 40 }, () => ({ email: "kim@example.com" }));
  expect((await post(free, magicLink(company, { to }), key)).status).toBe(202);
});

it("decides by the database when the limiter does not answer", async () => {
  const company = freshCompany();
  const { key } = await createKey();
  const namespace = {
    idFromName: () => ({}),
    get: () => ({ reserve: () => Promise.reject(new Error("away")), release: () => Promise.reject(new Error("away")) }),
  };
  const alone = await startEmail({ vars: { RATE_LIMITER: namespace as unknown as string } });
  const codes = [];
  for (let call = 0; call < 6; call++) codes.push((await post(alone, magicLink(company), key)).status);
  expect(codes).toEqual([202, 202, 202, 202, 202, 429]);
});

import { expect, it } from "vitest";
import { sign_in_requests } from "../../../db/identity/schema";
import { countRoundTrips } from "../../support/db/counted-database";
import { failingDatabase } from "../../support/db/failing-database";
import {
  callIdentity,
  createCompany,
  createMailbox,
  freshEmail,
  identityEnv,
  json,
  requestLink,
} from "../../support/identity/identity";
import { entriesOf, rowsOfCompany } from "../../support/identity/rows";

const request = "/api/v1/magic-link/request";
const verify = "/api/v1/magic-link/verify";

const limits = { AUTH_RATE_LIMIT_MAGIC_LINK: "1/min", AUTH_RATE_LIMIT_MAGIC_LINK_VERIFY: "1/min" };

/** Creates a company with a valid link, and an IP address that has reached its limit. */
async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  const { token } = await requestLink(env, mailbox, company, email);
  // Each test has its own IP address. While the rate limiter is slow, counters in the isolate apply the limit, and they keep their
  // counts between tests.
  const ip = `2001:db8:${crypto.randomUUID().slice(0, 4)}:${crypto.randomUUID().slice(0, 4)}::1`;
  const limited = { ...env, ...limits };
  const body = { company_id: company.id, email, redirect_to: company.origin };
  const consumeRequest = json({ token, company_id: company.id });
  const linkRequest = json(body);
  for (const [path, init] of [
    [request, json({})],
    [verify, json({})],
  ] as const)
    expect((await callIdentity(limited, path, { ...init, ip })).status).toBe(400);
  return { env, limited, company, email, token, ip, consumeRequest, linkRequest };
}

it("returns 429 to a client over its rate limit, for any body and while the database fails, and writes nothing", async () => {
  const { limited, company, ip, token, consumeRequest, linkRequest } = await setUp();
  const withoutDatabase = { ...limited, DB: failingDatabase };
  const broken = { method: "POST", body: "{", headers: { "content-type": "application/json" } };
  const statuses = async (bindings: typeof limited, calls: [string, RequestInit][]) =>
    Promise.all(calls.map(async ([path, init]) => (await callIdentity(bindings, path, { ...init, ip })).status));
  const page = `${verify}?token=${token}&company_id=${company.id}`;
  const calls: [string, RequestInit][] = [
    ...([
      [request, linkRequest],
      [verify, consumeRequest],
      [page, {}],
    ] as [string, RequestInit][]),
    ...([
      [request, broken],
      [verify, broken],
      [verify, { method: "POST", body: new URLSearchParams({}) }],
    ] as [string, RequestInit][]),
  ];
  expect(await statuses(limited, calls)).toEqual(calls.map(() => 429));
  expect(await statuses(withoutDatabase, calls)).toEqual(calls.map(() => 429));
  expect(await rowsOfCompany(sign_in_requests, company.id)).toMatchObject([{ consumed_at: null }]);
  expect(await entriesOf(company.id)).toHaveLength(1);
});

it("returns 503 to a client within its rate limit while the database is unavailable", async () => {
  const { env, consumeRequest, linkRequest } = await setUp();
  const withoutDatabase = { ...env, DB: failingDatabase };
  expect((await callIdentity(withoutDatabase, request, linkRequest)).status).toBe(503);
  expect((await callIdentity(withoutDatabase, verify, consumeRequest)).status).toBe(503);
});

it("does not count an incorrect sign-in code as an attempt when the client is over its rate limit", async () => {
  const { env, limited, company, email, ip } = await setUp();
  const { db, count } = countRoundTrips(env.DB);
  const wrong = json({ code: "BBBBBBBB", email, company_id: company.id });
  expect((await callIdentity({ ...limited, DB: db }, verify, { ...wrong, ip })).status).toBe(429);
  expect([count(), (await rowsOfCompany(sign_in_requests, company.id))[0]?.code_tries]).toEqual([0, 0]);
  expect((await callIdentity(env, verify, wrong)).status).toBe(400);
  expect((await rowsOfCompany(sign_in_requests, company.id))[0]?.code_tries).toBe(1);
});

import { expect, it } from "vitest";
import { sign_in_requests } from "../../../db/identity/schema";
import { awayDatabase } from "../../support/db/away-database";
import { countRoundTrips } from "../../support/db/counted-database";
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

/** A company with a live link, and calls from one address that has used its limit up. */
async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  const { token } = await requestLink(env, mailbox, company, email);
  // No other test uses this address: the isolate counts itself while the limiter object is slow.
  const ip = `2001:db8:${crypto.randomUUID().slice(0, 4)}:${crypto.randomUUID().slice(0, 4)}::1`;
  const limited = { ...env, ...limits };
  const body = { company_id: company.id, email, redirect_to: company.origin };
  const use = json({ token, company_id: company.id });
  const link = json(body);
  for (const [path, init] of [
    [request, json({})],
    [verify, json({})],
  ] as const)
    expect((await callIdentity(limited, path, { ...init, ip })).status).toBe(400);
  return { env, limited, company, email, token, ip, use, link };
}

it("returns 429 to a client past its limit, whatever its body and the database say, and writes nothing", async () => {
  const { limited, company, ip, token, use, link } = await setUp();
  const away = { ...limited, DB: awayDatabase };
  const broken = { method: "POST", body: "{", headers: { "content-type": "application/json" } };
  const statuses = async (bindings: typeof limited, calls: [string, RequestInit][]) =>
    Promise.all(calls.map(async ([path, init]) => (await callIdentity(bindings, path, { ...init, ip })).status));
  const page = `${verify}?token=${token}&company_id=${company.id}`;
  const calls: [string, RequestInit][] = [
    ...([
      [request, link],
      [verify, use],
      [page, {}],
    ] as [string, RequestInit][]),
    ...([
      [request, broken],
      [verify, broken],
      [verify, { method: "POST", body: new URLSearchParams({}) }],
    ] as [string, RequestInit][]),
  ];
  expect(await statuses(limited, calls)).toEqual(calls.map(() => 429));
  expect(await statuses(away, calls)).toEqual(calls.map(() => 429));
  expect(await rowsOfCompany(sign_in_requests, company.id)).toMatchObject([{ consumed_at: null }]);
  expect(await entriesOf(company.id)).toHaveLength(1);
});

it("returns 503 within the limit while the database is away", async () => {
  const { env, use, link } = await setUp();
  const away = { ...env, DB: awayDatabase };
  expect((await callIdentity(away, request, link)).status).toBe(503);
  expect((await callIdentity(away, verify, use)).status).toBe(503);
});

it("counts no attempt of a typed code for a client past its limit", async () => {
  const { env, limited, company, email, ip } = await setUp();
  const { db, count } = countRoundTrips(env.DB);
  const wrong = json({ code: "BBBBBBBB", email, company_id: company.id });
  expect((await callIdentity({ ...limited, DB: db }, verify, { ...wrong, ip })).status).toBe(429);
  expect([count(), (await rowsOfCompany(sign_in_requests, company.id))[0]?.code_tries]).toEqual([0, 0]);
  expect((await callIdentity(env, verify, wrong)).status).toBe(400);
  expect((await rowsOfCompany(sign_in_requests, company.id))[0]?.code_tries).toBe(1);
});

import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { company_totals } from "../../../db/identity/schema";
import { clock } from "../../../workers/kit/clock";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  signIn,
} from "../../support/identity/identity";
import { findUser, readRows } from "../../support/identity/rows";

const at = (iso: string) => {
  clock.now = () => Date.parse(iso);
};

/** Somebody whom a company has let in and not seen yet. */
async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  const id = await createUser({ email, company: company.id, owner: true });
  const enter = () => signIn(env, mailbox, company, email);
  const lastSeenOf = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const userResponse = await callIdentity(env, "/api/v1/user", { headers });
    const member = await callIdentity(env, `/api/v1/users/${id}`, { headers });
    const { user_metadata: metadata } = await userResponse.json<{ user_metadata: { last_seen_at: string } }>();
    return [metadata.last_seen_at, (await member.json<{ last_seen_at: string }>()).last_seen_at];
  };
  const days = async (of = company.id) => (await readRows(company_totals, eq(company_totals.company_id, of)))[0]?.seen;
  return { env, id, enter, lastSeenOf, days };
}

it("shows last_seen_at from the first sign-in on and updates it once a UTC day", async () => {
  const { id, enter, lastSeenOf, days } = await setUp();
  at("2027-03-16T10:00:00Z");
  const first = "2027-03-16T10:00:00.000Z";
  expect(await lastSeenOf((await enter()).access_token)).toEqual([first, first]);
  at("2027-03-16T23:59:59.999Z");
  expect(await lastSeenOf((await enter()).access_token)).toEqual([first, first]);
  expect(Object.values((await days()) ?? {})).toEqual([1]);
  at("2027-03-17T00:00:00Z");
  const next = "2027-03-17T00:00:00.000Z";
  expect(await lastSeenOf((await enter()).access_token)).toEqual([next, next]);
  expect(await days()).toEqual({ [Date.parse(next) / 86_400_000]: 1 });
  expect((await findUser(id))?.last_seen_at).toBe(Date.parse(next));
});

it("never moves last_seen_at back, and counts one user once under parallel requests", async () => {
  const { env, enter, lastSeenOf, days } = await setUp();
  at("2027-03-18T00:00:01Z");
  const tokens = await enter();
  at("2027-03-17T23:59:59Z");
  expect((await lastSeenOf((await enter()).access_token))[0]).toBe("2027-03-18T00:00:01.000Z");
  at("2027-03-19T08:00:00Z");
  const everybody = (await days(0)) ?? {};
  const today = String(Math.floor(clock.now() / 86_400_000));
  const call = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
  await Promise.all([...Array.from({ length: 10 }, () => callIdentity(env, "/api/v1/token", json(call))), enter()]);
  expect(await days()).toEqual({ [today]: 1 });
  expect((await days(0))?.[today]).toBe((everybody[today] ?? 0) + 1);
});

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

const setClock = (iso: string) => {
  clock.now = () => Date.parse(iso);
};

/** Creates a member who has not signed in yet. */
async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  const id = await createUser({ email, company: company.id, owner: true });
  const signInAgain = () => signIn(env, mailbox, company, email);
  const readLastSeen = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const userResponse = await callIdentity(env, "/api/v1/user", { headers });
    const member = await callIdentity(env, `/api/v1/users/${id}`, { headers });
    const { user_metadata: metadata } = await userResponse.json<{ user_metadata: { last_seen_at: string } }>();
    return [metadata.last_seen_at, (await member.json<{ last_seen_at: string }>()).last_seen_at];
  };
  const days = async (companyId = company.id) =>
    (await readRows(company_totals, eq(company_totals.company_id, companyId)))[0]?.seen;
  return { env, id, signInAgain, readLastSeen, days };
}

it("sets last_seen_at at the first sign-in, and updates it once per UTC day", async () => {
  const { id, signInAgain, readLastSeen, days } = await setUp();
  setClock("2027-03-16T10:00:00Z");
  const first = "2027-03-16T10:00:00.000Z";
  expect(await readLastSeen((await signInAgain()).access_token)).toEqual([first, first]);
  setClock("2027-03-16T23:59:59.999Z");
  expect(await readLastSeen((await signInAgain()).access_token)).toEqual([first, first]);
  expect(Object.values((await days()) ?? {})).toEqual([1]);
  setClock("2027-03-17T00:00:00Z");
  const next = "2027-03-17T00:00:00.000Z";
  expect(await readLastSeen((await signInAgain()).access_token)).toEqual([next, next]);
  expect(await days()).toEqual({ [Date.parse(next) / 86_400_000]: 1 });
  expect((await findUser(id))?.last_seen_at).toBe(Date.parse(next));
});

it("never decreases last_seen_at, and counts a user once a day under parallel requests", async () => {
  const { env, signInAgain, readLastSeen, days } = await setUp();
  setClock("2027-03-18T00:00:01Z");
  const tokens = await signInAgain();
  setClock("2027-03-17T23:59:59Z");
  expect((await readLastSeen((await signInAgain()).access_token))[0]).toBe("2027-03-18T00:00:01.000Z");
  setClock("2027-03-19T08:00:00Z");
  const daysOfAll = (await days(0)) ?? {};
  const today = String(Math.floor(clock.now() / 86_400_000));
  const call = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
  await Promise.all([
    ...Array.from({ length: 10 }, () => callIdentity(env, "/api/v1/token", json(call))),
    signInAgain(),
  ]);
  expect(await days()).toEqual({ [today]: 1 });
  expect((await days(0))?.[today]).toBe((daysOfAll[today] ?? 0) + 1);
});

import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { memberships } from "../../../db/identity/schema";
import { clock } from "../../../workers/kit/clock";
import { meterDatabase } from "../../support/db/metered-database";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  freshEmail,
  identityEnv,
  json,
  requestLink,
  signIn,
  type Tokens,
} from "../../support/identity/identity";
import { updateRows } from "../../support/identity/rows";
import { insertRule } from "../../support/webhooks/rows";

const writtenTable = (text: string) => /^(?:insert into|update) "(\w+)"/.exec(text)?.[1] ?? "";

/** Creates a company with a member who signed in today, and a database that counts written rows by table. */
async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  await createUser({ email, company: company.id });
  await signIn(env, mailbox, company, email);
  let roundTrips = 0;
  const { db, takeStatements } = meterDatabase(env.DB, async () => {
    roundTrips += 1;
  });
  const metered = { ...env, DB: db };
  /** Returns the rows that were written since the last call, by table and without the event log. */
  const takeWrittenRows = () => {
    const rows: Record<string, number> = {};
    for (const statement of takeStatements()) {
      const table = writtenTable(statement.text);
      if (statement.written > 0 && table !== "event_log") rows[table] = (rows[table] ?? 0) + statement.written;
    }
    return rows;
  };
  const call = async (path: string, init: RequestInit) => (await callIdentity(metered, path, init)).json<Tokens>();
  /** Returns the round trips and the rows read since the last call. */
  const takeReads = () => {
    const reads = { roundTrips, rows: takeStatements().reduce((sum, { read }) => sum + read, 0) };
    roundTrips = 0;
    return reads;
  };
  return { mailbox, company, email, env: metered, takeStatements, takeWrittenRows, takeReads, call };
}

const verify = "/api/v1/magic-link/verify";

it("writes few rows for link, sign-in, refresh and sign-out of a returning user", async () => {
  const { mailbox, company, email, env, takeWrittenRows, call } = await setUp();
  const { token } = await requestLink(env, mailbox, company, email);
  // These are the link request, its two indexes, the index of waiting mails, and the update when the mail is sent.
  expect(takeWrittenRows()).toEqual({ sign_in_requests: 5 });
  let tokens = await call(verify, json({ token, company_id: company.id }));
  expect(takeWrittenRows()).toEqual({ sign_in_requests: 1, sessions: 2 });
  for (let i = 0; i < 3; i++) {
    const { refresh_token } = tokens;
    tokens = await call("/api/v1/token", json({ grant_type: "refresh_token", refresh_token }));
    expect(takeWrittenRows()).toEqual({ sessions: 1 });
  }
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  await call("/api/v1/logout", { method: "POST", headers });
  expect(takeWrittenRows()).toEqual({ sessions: 1 });
});

it("records the visit and the proof of the address only at the first sign-in of a day", async () => {
  const { mailbox, company, email, env, takeWrittenRows, call } = await setUp();
  const base = clock.now;
  clock.now = () => base() + 86_400_000;
  const signInCost = async () => {
    const { token } = await requestLink(env, mailbox, company, email);
    takeWrittenRows();
    await call(verify, json({ token, company_id: company.id }));
    return takeWrittenRows();
  };
  // The additional rows are the account, the membership, and the visit counts of the company and of the platform.
  expect(await signInCost()).toEqual({ users: 1, memberships: 4, sign_in_requests: 1, sessions: 2 });
  expect(await signInCost()).toEqual({ sign_in_requests: 1, sessions: 2 });
});

it("creates deliveries for a link request only when a webhook subscribes to its event", async () => {
  const { mailbox, company, email, env, takeStatements } = await setUp();
  const tables = () => takeStatements().map(({ text }) => writtenTable(text));
  await requestLink(env, mailbox, company, email);
  expect(tables()).not.toContain("action_deliveries");
  await insertRule({ company_id: company.id, event_type: "identity.auth.magic_link.requested" });
  await requestLink(env, mailbox, company, email);
  expect(tables()).toContain("action_deliveries");
});

it("reads as many rows in as many round trips to refresh the token of a member with groups as of one without", async () => {
  const { mailbox, company, email, env, takeReads, call } = await setUp();
  let tokens = await signIn(env, mailbox, company, email);
  const refresh = async () => {
    takeReads();
    tokens = await call("/api/v1/token", json({ grant_type: "refresh_token", refresh_token: tokens.refresh_token }));
    const { groups } = decodeJwt(tokens.access_token).user_metadata as { groups?: string[] };
    return { groups: groups ?? [], reads: takeReads() };
  };
  const without = await refresh();
  const names = ["Editors", "Press", "Writers"];
  await updateRows(memberships, { group_names: names }, eq(memberships.company_id, company.id));
  const withGroups = await refresh();
  expect([without.groups, withGroups.groups]).toEqual([[], names]);
  expect(withGroups.reads).toEqual(without.reads);
  expect(without.reads.rows).toBeGreaterThan(0);
});

import { expect, it } from "vitest";
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
import { insertRule } from "../../support/webhooks/rows";

const tableOf = (text: string) => /^(?:insert into|update) "(\w+)"/.exec(text)?.[1] ?? "";

/** A company with a member who signed in today, over a database that notes what a step writes, table by table. */
async function setUp() {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  await createUser({ email, company: company.id });
  await signIn(env, mailbox, company, email);
  const { db, take } = meterDatabase(env.DB);
  const metered = { ...env, DB: db };
  /** Rows that were written, without those of the event log, which are the log's own. */
  const written = () => {
    const rows: Record<string, number> = {};
    for (const ran of take()) {
      const table = tableOf(ran.text);
      if (ran.written > 0 && table !== "event_log") rows[table] = (rows[table] ?? 0) + ran.written;
    }
    return rows;
  };
  const call = async (path: string, init: RequestInit) => (await callIdentity(metered, path, init)).json<Tokens>();
  return { mailbox, company, email, env: metered, take, written, call };
}

const verify = "/api/v1/magic-link/verify";

it("writes few rows for a returning user", async () => {
  const { mailbox, company, email, env, written, call } = await setUp();
  const { token } = await requestLink(env, mailbox, company, email);
  // The request with its two indexes and that of waiting mails, then the end of the mail.
  expect(written()).toEqual({ sign_in_requests: 5 });
  let tokens = await call(verify, json({ token, company_id: company.id }));
  expect(written()).toEqual({ sign_in_requests: 1, sessions: 2 });
  for (let i = 0; i < 3; i++) {
    const { refresh_token } = tokens;
    tokens = await call("/api/v1/token", json({ grant_type: "refresh_token", refresh_token }));
    expect(written()).toEqual({ sessions: 1 });
  }
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  await call("/api/v1/logout", { method: "POST", headers });
  expect(written()).toEqual({ sessions: 1 });
});

it("records the visit and the proof of the address at the first sign-in of a day only", async () => {
  const { mailbox, company, email, env, written, call } = await setUp();
  const base = clock.now;
  clock.now = () => base() + 86_400_000;
  const use = async () => {
    const { token } = await requestLink(env, mailbox, company, email);
    written();
    await call(verify, json({ token, company_id: company.id }));
    return written();
  };
  // Membership, account, and the days of the company and of all.
  expect(await use()).toEqual({ users: 1, memberships: 4, sign_in_requests: 1, sessions: 2 });
  expect(await use()).toEqual({ sign_in_requests: 1, sessions: 2 });
});

it("creates deliveries of a link request where a webhook subscribes to it, and looks for none elsewhere", async () => {
  const { mailbox, company, email, env, take } = await setUp();
  const tables = () => take().map(({ text }) => tableOf(text));
  await requestLink(env, mailbox, company, email);
  expect(tables()).not.toContain("action_deliveries");
  await insertRule({ company_id: company.id, event_type: "identity.auth.magic_link.requested" });
  await requestLink(env, mailbox, company, email);
  expect(tables()).toContain("action_deliveries");
});

import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { memberships, oauth_redirects, sessions, sign_in_requests, users } from "../../../db/identity/schema";
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
import {
  changeMembership,
  changeUserByEmail,
  deleteRows,
  entriesOf,
  findUserByEmail,
  identitiesOf,
  rowsOfCompany,
  storeIdentity,
  totalsOf,
} from "../../support/identity/rows";

const verify = "/api/v1/magic-link/verify";

/** Requests a second link for a member and consumes it. `change` runs between the read and the batch. */
async function consumeWhile(change: (user: { company: number; email: string; id: number }) => Promise<unknown>) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  const id = await createUser({ email, company: company.id });
  await signIn(env, mailbox, company, email);
  const { token } = await requestLink(env, mailbox, company, email);
  const { db, takeStatements } = meterDatabase(env.DB, async (call) => {
    if (call === 2) await change({ company: company.id, email, id });
  });
  const openLink = () => callIdentity({ ...env, DB: db }, verify, json({ token, company_id: company.id }));
  return { env, company, email, id, openLink, takeStatements, token };
}

const codeOf = async (response: Response) => [
  response.status,
  (await response.json<{ error_code?: string }>()).error_code,
];

it.each([
  ["the account is disabled", ({ email }: { email: string }) => changeUserByEmail(email, { is_active: false })],
  [
    "access is withdrawn",
    ({ company, email }: { company: number; email: string }) =>
      changeMembership(company, email, { state: "denied", state_reason: "admin" }),
  ],
])("rejects the link when %s between the read and the batch", async (_description, change) => {
  const { company, openLink } = await consumeWhile(change);
  expect(await codeOf(await openLink())).toEqual([400, "magic_link_invalid"]);
  expect(await rowsOfCompany(sessions, company.id)).toHaveLength(1);
  expect(
    (await rowsOfCompany(sign_in_requests, company.id)).map(({ consume_nonce }) => consume_nonce !== null),
  ).toEqual([true, false]);
});

it("creates the account again when it is deleted between the read and the batch of a sign-in, and counts one sign-in", async () => {
  const { company, email, id, openLink } = await consumeWhile(({ email: address }) =>
    deleteRows(users, eq(users.email, address)),
  );
  const response = await openLink();
  expect(response.status).toBe(200);
  const user = await findUserByEmail(email);
  expect(user?.id).not.toBe(id);
  expect((await rowsOfCompany(memberships, company.id)).map(({ user_id }) => user_id)).toEqual([user?.id]);
  expect((await entriesOf(company.id, "identity.user.created")).map(({ user_id }) => user_id)).toEqual([user?.id]);
  expect(await totalsOf(company.id, "successful_logins")).toEqual([
    { name: "successful_logins", label: "magic_link", value: 2 },
  ]);
});

it("ends unproven identities when the address loses its proof between the read and the batch of a sign-in", async () => {
  const { id, email, openLink } = await consumeWhile(async ({ email: address, id: user }) => {
    await changeUserByEmail(address, { email_verified_at: null });
    await storeIdentity({ id: user, email: address }, { email_proven: false });
  });
  expect((await openLink()).status).toBe(200);
  expect(await identitiesOf(id)).toEqual([]);
  expect((await findUserByEmail(email))?.email_verified_at).not.toBeNull();
});

it("creates a session for only one of 20 parallel sign-ins of a known user", async () => {
  const { company, openLink } = await consumeWhile(async () => undefined);
  const responses = await Promise.all(Array.from({ length: 20 }, openLink));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await rowsOfCompany(sessions, company.id)).toHaveLength(2);
  expect(await totalsOf(company.id, "magic_links_consumed")).toMatchObject([{ value: 2 }]);
});

it("runs ten statements for the sign-in of a known user when nothing has changed", async () => {
  const { openLink, takeStatements } = await consumeWhile(async () => undefined);
  expect((await openLink()).status).toBe(200);
  expect(takeStatements()).toHaveLength(10);
});

it("consumes the link of a form in nine statements, and creates an auth code", async () => {
  const { env, company, token } = await consumeWhile(async () => undefined);
  const page = await callIdentity(env, `${verify}?token=${token}&company_id=${company.id}`);
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const { db, takeStatements } = meterDatabase(env.DB);
  const response = await callIdentity({ ...env, DB: db }, verify, {
    method: "POST",
    body: new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf }),
    headers: { cookie: page.headers.get("set-cookie")?.split(";")[0] ?? "" },
  });
  expect(response.status).toBe(302);
  expect(takeStatements()).toHaveLength(9);
  // The link counts as consumed although the code is not redeemed.
  expect(await totalsOf(company.id)).toMatchObject([
    { name: "magic_links_consumed", value: 2 },
    { name: "magic_links_requested", value: 2 },
    { name: "successful_logins", value: 1 },
  ]);
  const code = new URL(response.headers.get("location") ?? "").searchParams.get("platform_auth_code") ?? "";
  const [{ base_url = "" } = {}] = await rowsOfCompany(oauth_redirects, company.id);
  const redeem = json({ auth_code: code, redirect_to: `${base_url}/login/callback` });
  const redeemed = await callIdentity(env, "/api/v1/oauth/session", redeem);
  expect((await redeemed.json<Tokens>()).provider).toBe("magic_link");
  expect(await totalsOf(company.id)).toMatchObject([{ value: 2 }, { value: 2 }, { value: 2 }]);
});

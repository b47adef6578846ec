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

/** A member who has signed in before and asks again; `change` happens between the read of the second use and its batch. */
async function consumeWhile(change: (user: { company: number; email: string; id: number }) => Promise<unknown>) {
  const mailbox = createMailbox();
  const env = identityEnv(mailbox);
  const company = await createCompany();
  const email = freshEmail();
  const id = await createUser({ email, company: company.id });
  await signIn(env, mailbox, company, email);
  const { token } = await requestLink(env, mailbox, company, email);
  const { db, take } = meterDatabase(env.DB, async (call) => {
    if (call === 2) await change({ company: company.id, email, id });
  });
  const use = () => callIdentity({ ...env, DB: db }, verify, json({ token, company_id: company.id }));
  return { env, company, email, id, use, take, token };
}

const codeOf = async (response: Response) => [
  response.status,
  (await response.json<{ error_code?: string }>()).error_code,
];

it.each([
  ["the account is disabled", ({ email }: { email: string }) => changeUserByEmail(email, { is_active: false })],
  [
    "access is taken away",
    ({ company, email }: { company: number; email: string }) =>
      changeMembership(company, email, { state: "denied", state_reason: "admin" }),
  ],
])("signs nobody in when %s between reading and consuming", async (_what, change) => {
  const { company, use } = await consumeWhile(change);
  expect(await codeOf(await use())).toEqual([400, "magic_link_invalid"]);
  expect(await rowsOfCompany(sessions, company.id)).toHaveLength(1);
  expect(
    (await rowsOfCompany(sign_in_requests, company.id)).map(({ consume_nonce }) => consume_nonce !== null),
  ).toEqual([true, false]);
});

it("creates the account again when it is deleted between reading and consuming, and counts one sign-in", async () => {
  const { company, email, id, use } = await consumeWhile(({ email: address }) =>
    deleteRows(users, eq(users.email, address)),
  );
  const response = await use();
  expect(response.status).toBe(200);
  const user = await findUserByEmail(email);
  expect(user?.id).not.toBe(id);
  expect((await rowsOfCompany(memberships, company.id)).map(({ user_id }) => user_id)).toEqual([user?.id]);
  expect((await entriesOf(company.id, "identity.user.created")).map(({ user_id }) => user_id)).toEqual([user?.id]);
  expect(await totalsOf(company.id, "successful_logins")).toEqual([
    { name: "successful_logins", label: "magic_link", value: 2 },
  ]);
});

it("ends identities and sessions of the address when its proof is lost between reading and consuming", async () => {
  const { id, email, use } = await consumeWhile(async ({ email: address, id: user }) => {
    await changeUserByEmail(address, { email_verified_at: null });
    await storeIdentity({ id: user, email: address }, { email_proven: false });
  });
  expect((await use()).status).toBe(200);
  expect(await identitiesOf(id)).toEqual([]);
  expect((await findUserByEmail(email))?.email_verified_at).not.toBeNull();
});

it("gives one of 20 parallel sign-ins of a known user a session, in one batch, and the others none", async () => {
  const { company, use } = await consumeWhile(async () => undefined);
  const answers = await Promise.all(Array.from({ length: 20 }, use));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await rowsOfCompany(sessions, company.id)).toHaveLength(2);
  expect(await totalsOf(company.id, "magic_links_consumed")).toMatchObject([{ value: 2 }]);
});

it("makes two round trips of five statements each when nothing has changed", async () => {
  const { use, take } = await consumeWhile(async () => undefined);
  expect((await use()).status).toBe(200);
  expect(take()).toHaveLength(9);
});

it("consumes the link of a form by the same short batch, for a code", async () => {
  const { env, company, token } = await consumeWhile(async () => undefined);
  const page = await callIdentity(env, `${verify}?token=${token}&company_id=${company.id}`);
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const { db, take } = meterDatabase(env.DB);
  const answer = await callIdentity({ ...env, DB: db }, verify, {
    method: "POST",
    body: new URLSearchParams({ token, company_id: String(company.id), csrf_token: csrf }),
    headers: { cookie: page.headers.get("set-cookie")?.split(";")[0] ?? "" },
  });
  expect(answer.status).toBe(302);
  expect(take()).toHaveLength(8);
  // The link is consumed although the code is not redeemed.
  expect(await totalsOf(company.id)).toMatchObject([
    { name: "magic_links_consumed", value: 2 },
    { name: "magic_links_requested", value: 2 },
    { name: "successful_logins", value: 1 },
  ]);
  const code = new URL(answer.headers.get("location") ?? "").searchParams.get("platform_auth_code") ?? "";
  const [{ base_url = "" } = {}] = await rowsOfCompany(oauth_redirects, company.id);
  const redeem = json({ auth_code: code, redirect_to: `${base_url}/login/callback` });
  const redeemed = await callIdentity(env, "/api/v1/oauth/session", redeem);
  expect((await redeemed.json<Tokens>()).provider).toBe("magic_link");
  expect(await totalsOf(company.id)).toMatchObject([{ value: 2 }, { value: 2 }, { value: 2 }]);
});

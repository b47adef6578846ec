import { eq } from "drizzle-orm";
import { afterEach, expect, it, vi } from "vitest";
import { memberships, preferences } from "../../../db/identity/schema";
import {
  callIdentity,
  createCompany,
  createUser,
  freshEmail,
  json,
  requestLink,
} from "../../support/identity/identity";
import { google, openSignIn } from "../../support/identity/oauth";
import { changeRowsOfCompany, identitiesOf, readRows, storeScimToken } from "../../support/identity/rows";
import { callScim, createBareDirectory, createScimUser, patchOf } from "../../support/identity/scim";

afterEach(() => vi.unstubAllGlobals());

it("unlinks the provider accounts of a user whose address the directory changes, so that they sign in nobody else", async () => {
  const directoryCompany = await openSignIn("google");
  const address = freshEmail();
  const attacker = google(address);
  const { claims } = await directoryCompany.signInAs(attacker);
  const { token } = await storeScimToken(directoryCompany.company);
  const base = `/api/v1/companies/${directoryCompany.company.id}/scim/v2`;
  const scim = (method: string, path: string, body: unknown) =>
    callScim(directoryCompany.bindings, { base, token }, method, path, body);
  const { body } = await scim("POST", "/Users", { userName: address });
  const victim = freshEmail();
  const moved = await scim("PATCH", `/Users/${body.id}`, patchOf({ op: "replace", path: "userName", value: victim }));
  expect(moved.status).toBe(200);
  expect(await identitiesOf(Number(claims.user_id))).toEqual([]);
  // The victim signs in to another company by link, and gets the account with this address.
  const otherCompany = await openSignIn("google");
  const { token: link } = await requestLink(otherCompany.bindings, otherCompany.mailbox, otherCompany.company, victim);
  const verify = json({ token: link, company_id: otherCompany.company.id });
  expect((await callIdentity(otherCompany.bindings, "/api/v1/magic-link/verify", verify)).status).toBe(200);
  const { claims: signedIn } = await otherCompany.signInAs(attacker);
  expect(signedIn.email).toBe(address);
});

it("ends the access of a shared account also if the same PUT has a new address", async () => {
  const directory = await createBareDirectory();
  const email = freshEmail();
  const id = await createUser({ email, company: (await createCompany()).id });
  await createScimUser(directory, email);
  const { status, body } = await directory.scim("PUT", `/Users/${id}`, { userName: freshEmail(), active: false });
  const [membership] = await readRows(memberships, eq(memberships.company_id, directory.company.id));
  expect([status, body.userName, membership?.state]).toEqual([200, email, "denied"]);
});

it("does not store language and time zone of an account of another company", async () => {
  const { scim } = await createBareDirectory();
  const email = freshEmail();
  const id = await createUser({ email, company: (await createCompany()).id });
  const user = { userName: email, preferredLanguage: "fr", timezone: "Asia/Tokyo" };
  expect((await scim("POST", "/Users", user)).status).toBe(201);
  expect(await readRows(preferences, eq(preferences.user_id, id))).toEqual([]);
});

it("keeps the state of a suspended member when a change does not name active", async () => {
  const directory = await createBareDirectory();
  const { company, scim } = directory;
  const user = await createScimUser(directory);
  await changeRowsOfCompany(memberships, company.id, { state: "pending", state_reason: "admin" });
  const change = patchOf({ op: "replace", path: "displayName", value: "Mina" });
  expect((await scim("PATCH", `/Users/${user}`, change)).body).toMatchObject({ displayName: "Mina", active: false });
  const [membership] = await readRows(memberships, eq(memberships.company_id, company.id));
  expect([membership?.state, membership?.state_reason]).toEqual(["pending", "admin"]);
});

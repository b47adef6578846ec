import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { group_members, groups, memberships, scim_users } from "../../../db/identity/schema";
import { findUser, readRows, rowsOfCompany, updateRows } from "../../support/identity/rows";
import { type BareDirectory, createBareDirectory } from "../../support/identity/scim";
import { entraCompliant } from "./vendors/entra-compliant";
import { entraGroups } from "./vendors/entra-groups";
import { entraUsers } from "./vendors/entra-users";
import { google } from "./vendors/google";
import { jumpcloud } from "./vendors/jumpcloud";
import { okta } from "./vendors/okta";
import { onelogin } from "./vendors/onelogin";
import type { VendorCase } from "./vendors/vendor-case";

const vendors: Record<string, VendorCase[]> = {
  "Entra ID": [...entraUsers, ...entraGroups],
  "Entra ID with aadOptscim062020": entraCompliant,
  Okta: okta,
  "Google Workspace": google,
  JumpCloud: jumpcloud,
  OneLogin: onelogin,
};

/** The ids of users and groups by name, and the domain. */
type Names = Map<string, string>;

/** Replaces `{name}` in all texts of a value. */
function fill<T>(value: T, names: Names): T {
  const text = JSON.stringify(value).replaceAll(/\{([a-z]+)\}/g, (all, name: string) => names.get(name) ?? all);
  return JSON.parse(text) as T;
}

async function createUsers({ scim, company }: BareDirectory, { users = [], owners = [] }: VendorCase, names: Names) {
  for (const name of [...users, ...owners]) {
    const userName = `${name}@${names.get("domain")}`;
    const { status, body } = await scim("POST", "/Users", {
      userName,
      name: { givenName: "Mina", familyName: "Laurent" },
    });
    expect(status).toBe(201);
    names.set(name, String(body.id));
    const isMembership = and(eq(memberships.company_id, company.id), eq(memberships.user_id, Number(body.id)));
    if (owners.includes(name)) await updateRows(memberships, { is_owner: true }, isMembership);
  }
}

async function createGroups({ scim }: BareDirectory, groups: VendorCase["groups"] = {}, names: Names) {
  for (const [displayName, members] of Object.entries(groups)) {
    const { status, body } = await scim("POST", "/Groups", {
      displayName,
      members: members.map((name) => ({ value: names.get(name) })),
    });
    expect(status).toBe(201);
    names.set(displayName.toLowerCase(), String(body.id));
  }
}

/** Returns what the database has about a user, in the form of `VendorCase.expected`. */
async function readUser(company: number, id: number) {
  const isOf = <T extends typeof memberships | typeof scim_users>({ company_id, user_id }: T) =>
    and(eq(company_id, company), eq(user_id, id));
  const user = await findUser(id);
  const [membership] = await readRows(memberships, isOf(memberships));
  const [managed] = await readRows(scim_users, isOf(scim_users));
  const { first_name = "", last_name = "" } = { ...user, ...membership?.profile };
  return {
    membership: membership === undefined ? null : `${membership.state} ${membership.state_reason}`,
    name: `${first_name} ${last_name}`.trim(),
    email: user?.email,
    userName: managed?.user_name ?? null,
    externalId: managed?.external_id ?? null,
  };
}

/** Returns the names of the users in each group of the company. */
async function readGroups(company: number, names: Names): Promise<Record<string, string[]>> {
  const byId = new Map([...names].map(([name, id]) => [id, name]));
  const read = (await rowsOfCompany(groups, company)).map(async ({ id, display_name, user_count }) => {
    const members = await readRows(group_members, eq(group_members.group_id, id));
    expect(user_count).toBe(members.length);
    return [display_name, members.map(({ user_id }) => byId.get(String(user_id)) ?? "").sort()];
  });
  return Object.fromEntries(await Promise.all(read));
}

describe.each(Object.entries(vendors))("%s", (_vendor, cases) => {
  it.each(cases)("$name", async (vendorCase) => {
    const directory = await createBareDirectory();
    const names: Names = new Map([["domain", `${crypto.randomUUID().slice(0, 8)}.example`]]);
    await createUsers(directory, vendorCase, names);
    await createGroups(directory, vendorCase.groups, names);
    for (const step of vendorCase.steps) {
      const { method, path, body } = fill(step, names);
      const actual = await directory.scim(method, path, body);
      if (step.as !== undefined) names.set(step.as, String(actual.body.id));
      expect([actual.status, actual.body]).toMatchObject([step.status, fill(step.response ?? {}, names)]);
      for (const attribute of step.without ?? []) expect(actual.body).not.toHaveProperty([attribute]);
    }
    const { id } = directory.company;
    for (const [name, expected] of Object.entries(vendorCase.expected ?? {}))
      expect(await readUser(id, Number(names.get(name)))).toMatchObject(fill(expected, names));
    if (vendorCase.expectedGroups !== undefined) expect(await readGroups(id, names)).toEqual(vendorCase.expectedGroups);
  });
});

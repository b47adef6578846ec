import { expect, it } from "vitest";
import { memberships } from "../../../db/identity/schema";
import { meterDatabase } from "../../support/db/metered-database";
import { freshEmail } from "../../support/identity/identity";
import { rowsOfCompany, storeMembers } from "../../support/identity/rows";
import {
  callScim,
  createBareDirectory,
  createDirectory,
  createScimGroup,
  type Directory,
} from "../../support/identity/scim";

async function createUser({ scim }: Directory): Promise<string> {
  const { status, body } = await scim("POST", "/Users", { userName: freshEmail() });
  expect(status).toBe(201);
  return String(body.id);
}

const membersOf = (body: Record<string, unknown>) => (body.members as { value: string }[]).map(({ value }) => value);

it("creates a group with members, adds and removes single members, renames, replaces and deletes it", async () => {
  const directory = await createDirectory();
  const { scim, base } = directory;
  const [mina, leo, zoe] = [await createUser(directory), await createUser(directory), await createUser(directory)];
  const created = await scim("POST", "/Groups", {
    displayName: "Editors",
    externalId: "g-1",
    members: [{ value: mina, display: "Mina" }],
  });
  expect([created.status, created.body]).toEqual([
    201,
    {
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
      id: expect.any(String),
      externalId: "g-1",
      displayName: "Editors",
      members: [{ value: mina, $ref: expect.stringContaining(`${base}/Users/${mina}`), type: "User" }],
      meta: expect.objectContaining({ resourceType: "Group" }),
    },
  ]);
  const path = `/Groups/${created.body.id}`;
  const patch = async (...Operations: object[]) => {
    expect((await scim("PATCH", path, { Operations })).status).toBe(204);
    return (await scim("GET", path)).body;
  };
  expect(
    membersOf(await patch({ op: "Add", path: "members", value: [{ $ref: null, value: leo }, { value: zoe }] })),
  ).toEqual([mina, leo, zoe]);
  expect(membersOf(await patch({ op: "Remove", path: `members[value eq "${mina}"]` }))).toEqual([leo, zoe]);
  expect(membersOf(await patch({ op: "remove", path: "members", value: [{ value: leo, $ref: null }] }))).toEqual([zoe]);
  expect(await patch({ op: "replace", value: { id: created.body.id, displayName: "Writers" } })).toMatchObject({
    displayName: "Writers",
    externalId: "g-1",
  });
  const response = await scim(
    "GET",
    `/Groups?filter=${encodeURIComponent(`displayName eq "WRITERS" and members eq "${zoe}"`)}`,
  );
  expect(response.body).toMatchObject({ totalResults: 1, Resources: [{ displayName: "Writers" }] });
  expect((await scim("GET", "/Groups?excludedAttributes=members")).body.Resources).toEqual([
    expect.not.objectContaining({ members: expect.anything() }),
  ]);
  expect((await scim("GET", `/Users/${zoe}`)).body.groups).toMatchObject([{ display: "Writers" }]);
  const replaced = await scim("PUT", path, { displayName: "Authors", members: [{ value: mina }] });
  expect([replaced.status, membersOf(replaced.body)]).toEqual([200, [mina]]);
  expect((await scim("DELETE", path)).status).toBe(204);
  expect((await scim("GET", path)).status).toBe(404);
});

it("reads the members of a group only if the response shows them", async () => {
  const directory = await createBareDirectory();
  const { env, base, token, company } = directory;
  await storeMembers(company.id, 200);
  const members = (await rowsOfCompany(memberships, company.id)).map(({ user_id }) => String(user_id));
  const path = `/Groups/${await createScimGroup(directory, ...members)}`;
  const { db, takeStatements } = meterDatabase(env.DB);
  const readBy = async (query: string) => {
    takeStatements();
    const { status, body } = await callScim({ ...env, DB: db }, { base, token }, "GET", path + query);
    const read = takeStatements().reduce((total, statement) => total + statement.read, 0);
    return { status, members: (body.members as unknown[] | undefined)?.length, read };
  };
  expect(await readBy("")).toMatchObject({ status: 200, members: 200 });
  for (const query of ["?excludedAttributes=members", "?attributes=displayName"]) {
    const { status, members: shown, read } = await readBy(query);
    expect([status, shown]).toEqual([200, undefined]);
    expect(read).toBeLessThanOrEqual(20);
  }
});

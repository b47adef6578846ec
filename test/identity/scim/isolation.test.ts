import { describe, expect, it } from "vitest";
import { createUser, freshEmail } from "../../support/identity/identity";
import {
  createBareDirectory,
  createScimGroup,
  createScimUser,
  expectScimError,
  patchOf,
} from "../../support/identity/scim";

describe("another company", () => {
  it("neither sees nor changes users and groups, and cannot use them as members", async () => {
    const [directory, foreign] = [await createBareDirectory(), await createBareDirectory()];
    const address = freshEmail();
    const user = await createScimUser(foreign, address);
    const group = await createScimGroup(foreign, user);
    const before = [await foreign.scim("GET", `/Users/${user}`), await foreign.scim("GET", `/Groups/${group}`)];
    const { scim } = directory;
    const notFound = { status: 404, error_code: "not_found" };
    for (const path of [`/Users/${user}`, `/Groups/${group}`]) {
      expectScimError(await scim("GET", path), notFound);
      expectScimError(await scim("DELETE", path), notFound);
      expectScimError(await scim("PUT", path, { userName: address, displayName: "Taken" }), notFound);
      const change = { op: "replace", value: { displayName: "Taken", active: false } };
      expectScimError(await scim("PATCH", path, patchOf(change)), notFound);
    }
    const groupId = await createScimGroup(directory);
    const invalid = { status: 400, error_code: "validation_failed", scimType: "invalidValue" };
    for (const value of [user, group]) {
      expectScimError(await scim("POST", "/Groups", { displayName: "Editors", members: [{ value }] }), invalid);
      const add = patchOf({ op: "add", path: "members", value: [{ value }] });
      expectScimError(await scim("PATCH", `/Groups/${groupId}`, add), invalid);
      expectScimError(
        await scim("PUT", `/Groups/${groupId}`, { displayName: "Editors", members: [{ value }] }),
        invalid,
      );
    }
    for (const filter of [`userName eq "${address}"`, `id eq "${user}"`, `externalId eq "${address}"`, "userName pr"])
      expect((await scim("GET", `/Users?filter=${encodeURIComponent(filter)}`)).body.totalResults).toBe(0);
    expect((await scim("GET", "/Users")).body.totalResults).toBe(0);
    expect((await scim("GET", `/Groups?filter=${encodeURIComponent(`id eq "${group}"`)}`)).body.totalResults).toBe(0);
    const after = [await foreign.scim("GET", `/Users/${user}`), await foreign.scim("GET", `/Groups/${group}`)];
    expect(after.map(({ body }) => body)).toEqual(before.map(({ body }) => body));
  });

  it("keeps the names and the address of a user whom both companies have", async () => {
    const [directory, foreign] = [await createBareDirectory(), await createBareDirectory()];
    const address = freshEmail();
    const name = { givenName: "Mina", familyName: "Laurent" };
    const created = await foreign.scim("POST", "/Users", { userName: address, name });
    const shared = await directory.scim("POST", "/Users", { userName: address, name: { givenName: "Mila" } });
    expect([shared.status, shared.body]).toMatchObject([201, { id: created.body.id, name: { givenName: "Mila" } }]);
    const path = `/Users/${created.body.id}`;
    const response = await directory.scim(
      "PATCH",
      path,
      patchOf({ op: "replace", path: "userName", value: freshEmail() }),
    );
    expectScimError(response, { status: 409, error_code: "user_shared" });
    expect((await directory.scim("DELETE", path)).status).toBe(204);
    expect((await foreign.scim("GET", path)).body).toEqual(created.body);
  });

  it("cannot admit a staff account", async () => {
    const { scim } = await createBareDirectory();
    const email = freshEmail();
    await createUser({ email, staff: true });
    expectScimError(await scim("POST", "/Users", { userName: email }), { status: 409, error_code: "user_shared" });
    expect((await scim("GET", "/Users")).body.totalResults).toBe(0);
  });
});

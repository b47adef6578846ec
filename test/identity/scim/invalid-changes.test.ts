import { describe, expect, it } from "vitest";
import { freshEmail } from "../../support/identity/identity";
import {
  createBareDirectory,
  createScimGroup,
  createScimUser,
  expectScimError,
  patchOf,
} from "../../support/identity/scim";

const unknownUuid = "00000000-0000-4000-8000-000000000000";

describe("an invalid change of a user", () => {
  const good = { op: "replace", path: "displayName", value: "Changed" };
  it.each<[string, object, string]>([
    ["an unknown verb", { op: "move", path: "displayName", value: "x" }, "invalidSyntax"],
    ["no verb", { path: "displayName", value: "x" }, "invalidSyntax"],
    ["a removal without a path", { op: "remove" }, "noTarget"],
    ["a value that is no object, without a path", { op: "add", value: "x" }, "invalidSyntax"],
    ["a path that is none", { op: "replace", path: "name..givenName", value: "x" }, "invalidPath"],
    ["a path that is no text", { op: "replace", path: 7, value: "x" }, "invalidPath"],
    ["a filter that is not closed", { op: "replace", path: 'emails[type eq "work"', value: "x" }, "invalidPath"],
    [
      "a filter of the path that is none",
      { op: "replace", path: "emails[type eq].value", value: "x" },
      "invalidFilter",
    ],
    ["an address that is none", { op: "replace", path: 'emails[type eq "work"].value', value: "x" }, "invalidValue"],
    ["active that is no boolean", { op: "replace", path: "active", value: "maybe" }, "invalidValue"],
    ["a name that is no text", { op: "replace", path: "name.givenName", value: 7 }, "invalidValue"],
    ["a name that is no object", { op: "replace", path: "name", value: "Mina" }, "invalidValue"],
    ["an empty user name", { op: "replace", path: "userName", value: "" }, "invalidValue"],
    ["the removal of the user name", { op: "remove", path: "userName" }, "invalidValue"],
    ["a text that is too long", { op: "replace", path: "externalId", value: "x".repeat(256) }, "invalidValue"],
    ["a bidirectional character", { op: "replace", path: "name.familyName", value: "a\u202eb" }, "invalidValue"],
    ["an invisible character", { op: "replace", path: "displayName", value: "a\u200bb" }, "invalidValue"],
    ["a line break", { op: "replace", path: "displayName", value: "a\nb" }, "invalidValue"],
    ["a link as a name", { op: "replace", path: "name.givenName", value: "https://evil.example" }, "invalidValue"],
  ])("with %s changes nothing", async (_name, bad, scimType) => {
    const directory = await createBareDirectory();
    const path = `/Users/${await createScimUser(directory)}`;
    const { body: before } = await directory.scim("GET", path);
    const response = await directory.scim("PATCH", path, patchOf(good, bad));
    expectScimError(response, { status: 400, error_code: "validation_failed", scimType });
    expect((await directory.scim("GET", path)).body).toEqual(before);
  });

  it("without operations, or with too many, returns 400", async () => {
    const directory = await createBareDirectory();
    const path = `/Users/${await createScimUser(directory)}`;
    const expected = { status: 400, error_code: "validation_failed", scimType: "invalidSyntax" };
    for (const body of [
      {},
      { Operations: [] },
      { Operations: "x" },
      { Operations: [null] },
      patchOf(...Array(1001).fill(good)),
    ])
      expectScimError(await directory.scim("PATCH", path, body), expected);
    expect((await directory.scim("PATCH", path, { operations: Array(1000).fill(good) })).status).toBe(200);
  });

  it.each<[string, object]>([
    ["no user name", { displayName: "Mina" }],
    ["a user name that is no address, without emails", { userName: "mina" }],
    ["an address that is none", { userName: "mina", emails: [{ value: "mina" }] }],
    ["an invisible character in the user name", { userName: "mi\u200bna@example.com" }],
    ["a bidirectional character in externalId", { userName: "mina@example.com", externalId: "\u202e1" }],
    ["names that are no object", { userName: 7 }],
    ["a primary that is no boolean", { userName: "m", emails: [{ value: "m@example.com", primary: "often" }] }],
  ])("with %s creates and replaces nothing", async (_name, body) => {
    const directory = await createBareDirectory();
    const path = `/Users/${await createScimUser(directory)}`;
    const { body: before } = await directory.scim("GET", path);
    const expected = { status: 400, error_code: "validation_failed", scimType: "invalidValue" };
    expectScimError(await directory.scim("POST", "/Users", body), expected);
    expect((await directory.scim("GET", "/Users")).body.totalResults).toBe(1);
    if ("emails" in body || !("userName" in body) || body.userName !== "mina")
      expectScimError(await directory.scim("PUT", path, body), expected);
    expect((await directory.scim("GET", path)).body).toEqual(before);
  });

  it("with the user name or address of another user returns 409 and changes nothing", async () => {
    const directory = await createBareDirectory();
    const { scim } = directory;
    const usedAddress = freshEmail();
    await createScimUser(directory, usedAddress);
    const path = `/Users/${await createScimUser(directory)}`;
    const { body: before } = await scim("GET", path);
    const expected = { status: 409, error_code: "conflict", scimType: "uniqueness" };
    for (const [key, value] of [
      ["userName", usedAddress.toUpperCase()],
      ['emails[type eq "work"].value', usedAddress],
    ])
      expectScimError(await scim("PATCH", path, patchOf(good, { op: "replace", path: key, value })), expected);
    expectScimError(await scim("PUT", path, { userName: usedAddress }), expected);
    expectScimError(await scim("POST", "/Users", { userName: "other", emails: [{ value: usedAddress }] }), expected);
    expect((await scim("GET", path)).body).toEqual(before);
  });
});

describe("an invalid change of a group", () => {
  it.each<[string, object, string]>([
    ["a member from nowhere", { op: "add", path: "members", value: [{ value: "999999999" }] }, "invalidValue"],
    ["a group from nowhere", { op: "add", path: "members", value: [{ value: unknownUuid }] }, "invalidValue"],
    ["a member that is no id", { op: "add", path: "members", value: [{ value: "mina" }] }, "invalidValue"],
    ["a member without a value", { op: "add", path: "members", value: [{ display: "Mina" }] }, "invalidValue"],
    ["an empty name", { op: "replace", path: "displayName", value: "" }, "invalidValue"],
    ["an invisible character", { op: "replace", path: "displayName", value: "a\u200bb" }, "invalidValue"],
    ["a bidirectional character", { op: "replace", path: "externalId", value: "a\u202eb" }, "invalidValue"],
    ["a filter by name", { op: "remove", path: 'members[display eq "Mina"]' }, "invalidFilter"],
    [
      "a replacement by a filter",
      { op: "replace", path: 'members[value eq "1"]', value: { value: "2" } },
      "invalidPath",
    ],
    ["an unknown verb", { op: "swap", path: "members" }, "invalidSyntax"],
  ])("with %s changes nothing", async (_name, bad, scimType) => {
    const directory = await createBareDirectory();
    const [mina, leo] = [await createScimUser(directory), await createScimUser(directory)];
    const path = `/Groups/${await createScimGroup(directory, mina)}`;
    const { body: before } = await directory.scim("GET", path);
    const goods = [
      { op: "replace", path: "displayName", value: "Changed" },
      { op: "add", path: "members", value: [{ value: leo }] },
      { op: "remove", path: `members[value eq "${mina}"]` },
    ];
    const response = await directory.scim("PATCH", path, patchOf(...goods, bad));
    expectScimError(response, { status: 400, error_code: "validation_failed", scimType });
    expect((await directory.scim("GET", path)).body).toEqual(before);
  });

  it("that would make a group contain itself returns 400", async () => {
    const directory = await createBareDirectory();
    const inner = await createScimGroup(directory);
    const outer = await createScimGroup(directory, inner);
    const add = (group: string, value: string) =>
      directory.scim("PATCH", `/Groups/${group}`, patchOf({ op: "add", path: "members", value: [{ value }] }));
    const expected = { status: 400, error_code: "validation_failed", scimType: "invalidValue" };
    expectScimError(await add(inner, outer), expected);
    expectScimError(await add(inner, inner), expected);
  });

  it("with the name of another group returns 409 and changes nothing", async () => {
    const directory = await createBareDirectory();
    const { scim } = directory;
    await scim("POST", "/Groups", { displayName: "Editors" });
    const path = `/Groups/${await createScimGroup(directory)}`;
    const { body: before } = await scim("GET", path);
    const expected = { status: 409, error_code: "conflict", scimType: "uniqueness" };
    expectScimError(await scim("POST", "/Groups", { displayName: "EDITORS" }), expected);
    expectScimError(await scim("PUT", path, { displayName: "editors" }), expected);
    expectScimError(await scim("PATCH", path, patchOf({ op: "replace", value: { displayName: "Editors" } })), expected);
    expect((await scim("GET", path)).body).toEqual(before);
  });
});

import { describe, expect, it } from "vitest";
import { readGroupChange } from "../../../workers/identity/scim/groups/directory-group";
import { changesOfResource, readOperations } from "../../../workers/identity/scim/protocol/patch";
import {
  applyChanges,
  type DirectoryUser,
  emptyUser,
  readUser,
} from "../../../workers/identity/scim/users/directory-user";
import { keywordOf } from "../../support/identity/scim-keyword";

const coreUser = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const mina: DirectoryUser = {
  ...emptyUser(true),
  userName: "mina",
  givenName: "Mina",
  familyName: "Laurent",
  email: { value: "mina@example.com", type: "work" },
};

const patchUser = (...operations: object[]) => applyChanges(mina, readOperations({ Operations: operations }));
const uuid = (digit: number) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;

describe("changesOfResource", () => {
  it("returns a change for each attribute, with dotted keys, URNs and filters, in any case", () => {
    const changes = changesOfResource({
      UserName: "mina",
      "name.givenName": "Mina",
      name: { familyName: "Laurent", middleName: null },
      [`${coreUser}:displayName`]: "Mina L.",
      [coreUser]: { active: true },
      'emails[type eq "work"].value': "mina@example.com",
      externalId: null,
      [enterprise]: { department: "Sales" },
      [`${enterprise}:manager.value`]: "42",
      "two words": "x",
      "": "x",
      "7": "x",
    });
    expect(changes.map(({ attribute, subAttribute, value }) => [attribute, subAttribute, value])).toEqual([
      ["username", null, "mina"],
      ["name.givenname", null, "Mina"],
      ["name.familyname", null, "Laurent"],
      ["displayname", null, "Mina L."],
      ["active", null, true],
      ["emails", "value", "mina@example.com"],
    ]);
    expect(changes.at(-1)?.filter).toMatchObject({ attribute: "emails.type", operator: "eq", value: "work" });
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"])("ignores the key %s", (key) => {
    const body = JSON.parse(`{"userName": "mina@example.com", "${key}": "x", "name": {"${key}": "x"}}`);
    expect(readUser(body, true)).toEqual({ ...emptyUser(true), userName: "mina@example.com" });
  });
});

describe("readOperations", () => {
  it("reads verbs and names in any case, and values with or without a path", () => {
    const changes = readOperations({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      operations: [
        { OP: "Add", Path: "displayName", Value: "Mina" },
        { op: "REPLACE", value: { "name.givenName": "Mina", title: "Dr" } },
        { op: "remove", path: 'members[value eq "42"]' },
        { op: "Replace", path: "name", value: { familyName: "Roux" } },
        { op: "Add", path: `${enterprise}:department`, value: "Sales" },
        { op: "Add", path: "title" },
      ],
    });
    expect(changes.map(({ verb, attribute, value }) => [verb, attribute, value])).toEqual([
      ["add", "displayname", "Mina"],
      ["replace", "name.givenname", "Mina"],
      ["replace", "title", "Dr"],
      ["remove", "members", null],
      ["replace", "name.familyname", "Roux"],
      ["add", "title", null],
    ]);
  });

  it.each<[string, unknown]>([
    ["invalidSyntax", undefined],
    ["invalidSyntax", []],
    ["invalidSyntax", ["x"]],
    ["invalidSyntax", [{ path: "title", value: "x" }]],
    ["invalidSyntax", [{ op: "copy", path: "title" }]],
    ["invalidSyntax", [{ op: "add", value: ["x"] }]],
    ["invalidSyntax", Array(1001).fill({ op: "add", path: "title", value: "x" })],
    ["noTarget", [{ op: "remove" }]],
    ["noTarget", [{ op: "remove", path: "  ", value: { title: "x" } }]],
    ["invalidPath", [{ op: "add", path: { a: 1 }, value: "x" }]],
    ["invalidPath", [{ op: "add", path: "a.b.c", value: "x" }]],
    ["invalidPath", [{ op: "add", path: "a b", value: "x" }]],
    ["invalidPath", [{ op: "add", path: 'a[b eq "1"', value: "x" }]],
    ["invalidFilter", [{ op: "add", path: "a[b]", value: "x" }]],
    ["invalidFilter", [{ op: "add", path: `a[b eq "${"x".repeat(1000)}"]`, value: "x" }]],
  ])("throws %s for %j", (keyword, Operations) => {
    expect(keywordOf(() => readOperations({ Operations }))).toBe(keyword);
  });
});

describe("a changed user", () => {
  it.each<[string, object, Partial<DirectoryUser>]>([
    ["a text", { op: "replace", path: "displayName", value: " Mina L. " }, { displayName: "Mina L." }],
    ["a text in a list", { op: "replace", path: "displayName", value: [{ value: "Mina" }] }, { displayName: "Mina" }],
    ["False as text", { op: "replace", path: "active", value: "False" }, { isActive: false }],
    ["a boolean in a list", { op: "add", path: "active", value: [{ value: "false" }] }, { isActive: false }],
    ["null for active", { op: "replace", path: "active", value: null }, { isActive: true }],
    ["the removal of active", { op: "remove", path: "active" }, { isActive: true }],
    ["the removal of the name", { op: "remove", path: "name" }, { givenName: "", familyName: "" }],
    ["the removal of a part of the name", { op: "remove", path: "name.familyName" }, { familyName: "" }],
    [
      "the value of the work email",
      { op: "replace", path: 'emails[type eq "work"].value', value: "new@example.com" },
      { email: { value: "new@example.com", type: "work" } },
    ],
    [
      "the value of the primary email",
      { op: "replace", path: 'emails[primary eq "True"].value', value: "new@example.com" },
      { email: { value: "new@example.com", type: "work" } },
    ],
    ["the value of another email", { op: "replace", path: 'emails[type eq "home"].value', value: "h@example.com" }, {}],
    ["the removal of another email", { op: "remove", path: 'emails[type eq "home"]' }, {}],
    ["a label of the email", { op: "add", path: 'emails[type eq "work"].display', value: "Mina" }, {}],
    [
      "a list with a primary email",
      {
        op: "replace",
        path: "emails",
        value: [{ value: "a@example.com" }, { value: "b@example.com", primary: "true", type: "home" }],
      },
      { email: { value: "b@example.com", type: "home" } },
    ],
    [
      "a list without a primary email",
      { op: "replace", path: "emails", value: [{ value: null }, { value: "a@example.com" }] },
      { email: { value: "a@example.com", type: "work" } },
    ],
    [
      "one email",
      { op: "add", path: "emails", value: { value: "a@example.com", type: "home" } },
      { email: { value: "a@example.com", type: "home" } },
    ],
    [
      "an email as text",
      { op: "add", path: "emails.value", value: "a@example.com" },
      { email: { value: "a@example.com", type: "work" } },
    ],
  ])("has %s", (_name, operation, expected) => {
    expect(patchUser(operation)).toEqual({ ...mina, ...expected });
  });

  it("is changed in the order of the operations, and the original is not", () => {
    const changed = patchUser(
      { op: "add", path: "displayName", value: "A" },
      { op: "remove", path: "displayName" },
      { op: "replace", path: "externalId", value: "1" },
      { op: "replace", value: { externalId: "2" } },
    );
    expect(changed).toEqual({ ...mina, externalId: "2" });
    expect(mina.externalId).toBeNull();
  });

  it("needs an address when its emails are removed", () => {
    expect(keywordOf(() => patchUser({ op: "remove", path: "emails" }))).toBe("invalidValue");
    const changed = patchUser(
      { op: "remove", path: "emails" },
      { op: "replace", path: "userName", value: "Mina@Example.com" },
    );
    expect(changed).toMatchObject({ userName: "Mina@Example.com", email: null });
  });
});

describe("readGroupChange", () => {
  const patchGroup = (...operations: object[]) => {
    const { added, removed, ...change } = readGroupChange(readOperations({ Operations: operations }));
    return { ...change, added: [...added.users, ...added.groups], removed: [...removed.users, ...removed.groups] };
  };
  const nothing = { replaces: false, added: [], removed: [] };
  it.each<[object[], object]>([
    [
      [{ op: "Add", path: "members", value: [{ $ref: null, value: "42" }, { value: uuid(1) }] }],
      { added: [42, uuid(1)] },
    ],
    [[{ op: "add", path: "members", value: { value: 42 } }], { added: [42] }],
    [[{ op: "add", value: { members: [{ value: "42" }] } }], { added: [42] }],
    [[{ op: "Remove", path: "members", value: [{ $ref: null, value: "42", display: "M" }] }], { removed: [42] }],
    [[{ op: "remove", path: 'members[value eq "42"]' }], { removed: [42] }],
    [[{ op: "remove", path: 'members[value eq "42" or value eq "43"]' }], { removed: [42, 43] }],
    [[{ op: "remove", path: "members", value: [] }], {}],
    [[{ op: "remove", path: "members" }], { replaces: true }],
    [[{ op: "replace", path: "members", value: [] }], { replaces: true }],
    [[{ op: "replace", path: "members", value: null }], {}],
    [[{ op: "replace", value: { displayName: "Editors", members: null } }], { displayName: "Editors" }],
    [[{ op: "replace", path: 'members[value eq "42"].display', value: "Mina" }], {}],
    [
      [
        { op: "replace", path: "members", value: [{ value: "1" }] },
        { op: "add", path: "members", value: [{ value: "2" }, { value: "3" }] },
        { op: "remove", path: 'members[value eq "1"]' },
      ],
      { replaces: true, added: [2, 3], removed: [1] },
    ],
    [
      [
        { op: "remove", path: 'members[value eq "1"]' },
        { op: "add", path: "members", value: [{ value: "1" }] },
      ],
      { added: [1] },
    ],
  ])("of %j", (operations, expected) => {
    expect(patchGroup(...operations)).toEqual({ ...nothing, ...expected });
  });

  it.each<[string, object]>([
    ["invalidValue", { op: "add", path: "members", value: [{ value: "mina" }] }],
    ["invalidValue", { op: "add", path: "members", value: ["0"] }],
    ["invalidValue", { op: "add", path: "members", value: [{ $ref: "/Users/42" }] }],
    ["invalidValue", { op: "remove", path: "displayName" }],
    ["invalidFilter", { op: "remove", path: 'members[display eq "Mina"]' }],
    ["invalidFilter", { op: "remove", path: 'members[not (value eq "42")]' }],
    ["invalidPath", { op: "add", path: 'members[value eq "42"]', value: { value: "43" } }],
  ])("throws %s for %j", (keyword, operation) => {
    expect(keywordOf(() => patchGroup(operation))).toBe(keyword);
  });
});

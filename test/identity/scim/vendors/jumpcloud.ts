import { patchOf } from "../../../support/identity/scim";
import { changeGroup, filtered, groupSchema, userSchema, type VendorCase } from "./vendor-case";

// Requests of JumpCloud's custom SCIM integrations. Activation creates a test user and a test group, and deletes them.

const user = {
  schemas: [userSchema],
  userName: "mina@{domain}",
  name: { givenName: "Mina", familyName: "Laurent" },
  displayName: "Mina Laurent",
  emails: [{ value: "mina@{domain}", type: "work", primary: true }],
  active: true,
};

export const jumpcloud: VendorCase[] = [
  {
    name: "activates the integration with a test user",
    steps: [
      {
        method: "GET",
        path: filtered("/Users", 'userName eq "mina@{domain}"'),
        status: 200,
        response: { totalResults: 0 },
      },
      { method: "POST", path: "/Users", body: user, status: 201, as: "mina" },
      {
        method: "PUT",
        path: "/Users/{mina}",
        body: { ...user, id: "{mina}", displayName: "Test", active: false },
        status: 200,
        response: { displayName: "Test", active: false },
      },
      { method: "DELETE", path: "/Users/{mina}", status: 204 },
    ],
    expected: { mina: { membership: "denied scim", userName: null } },
  },
  {
    name: "activates the integration with a test group",
    users: ["mina"],
    steps: [
      { method: "GET", path: filtered("/Groups", 'displayName eq "Test"'), status: 200, response: { totalResults: 0 } },
      {
        method: "POST",
        path: "/Groups",
        body: { schemas: [groupSchema], displayName: "Test" },
        status: 201,
        as: "test",
      },
      {
        method: "PATCH",
        path: "/Groups/{test}",
        body: patchOf({ op: "add", path: "members", value: [{ value: "{mina}" }] }),
        status: 204,
      },
      { method: "DELETE", path: "/Groups/{test}", status: 204 },
    ],
    expectedGroups: {},
  },
  {
    name: "updates a user with attributes that are not stored",
    users: ["mina"],
    steps: [
      {
        method: "PUT",
        path: "/Users/{mina}",
        body: {
          ...user,
          id: "{mina}",
          nickName: "Mimi",
          userType: "Employee",
          addresses: [{ type: "work", country: "FR" }],
          phoneNumbers: [{ type: "mobile", value: "+33 6" }],
          "custom attribute": "7",
          constructor: "7",
        },
        status: 200,
        response: { displayName: "Mina Laurent" },
        without: ["nickName", "userType", "addresses", "phoneNumbers", "custom attribute", "constructor"],
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Laurent" } },
  },
  {
    name: "removes a member by a list of values",
    users: ["mina", "leo"],
    groups: { Editors: ["mina", "leo"] },
    steps: [changeGroup({ op: "remove", path: "members", value: [{ value: "{mina}", type: "User" }] })],
    expectedGroups: { Editors: ["leo"] },
  },
  {
    name: "replaces a group with its members",
    users: ["mina", "leo"],
    groups: { Editors: ["mina"] },
    steps: [
      {
        method: "PUT",
        path: "/Groups/{editors}",
        body: {
          schemas: [groupSchema],
          displayName: "Editors",
          members: [{ value: "{mina}" }, { value: "{leo}", type: "User", $ref: null }],
        },
        status: 200,
        response: { members: [{ value: "{mina}" }, { value: "{leo}" }] },
      },
    ],
    expectedGroups: { Editors: ["leo", "mina"] },
  },
];

import { changeGroup, changeUser, filtered, groupSchema, userSchema, type VendorCase } from "./vendor-case";

// Requests of OneLogin's SCIM provisioner, whose body comes from a JSON template that an administrator edits.

export const onelogin: VendorCase[] = [
  {
    name: "creates a user from its template",
    steps: [
      {
        method: "GET",
        path: filtered("/Users", 'userName eq "mina@{domain}"'),
        status: 200,
        response: { totalResults: 0 },
      },
      {
        method: "POST",
        path: "/Users",
        body: {
          schemas: [userSchema],
          userName: "mina@{domain}",
          displayName: "Mina Laurent",
          name: { givenName: "Mina", familyName: "Laurent", formatted: "Mina Laurent" },
          emails: [{ value: "mina@{domain}", primary: true, type: "work" }],
          title: "",
          department: null,
          roles: [],
          active: true,
        },
        status: 201,
        as: "mina",
        response: { userName: "mina@{domain}", name: { formatted: "Mina Laurent" } },
        without: ["title", "department", "roles"],
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Laurent" } },
  },
  {
    name: "updates a user by PUT without active, who stays disabled",
    users: ["mina"],
    steps: [
      { ...changeUser({ op: "replace", path: "active", value: false }), response: { active: false } },
      {
        method: "PUT",
        path: "/Users/{mina}",
        body: { schemas: [userSchema], userName: "mina@{domain}", name: { familyName: "Roux" } },
        status: 200,
        response: { active: false, name: { familyName: "Roux" } },
      },
    ],
    expected: { mina: { membership: "denied scim", name: "Roux" } },
  },
  {
    name: "finds a group and adds and removes a user",
    users: ["mina", "leo"],
    groups: { Editors: ["leo"] },
    steps: [
      {
        method: "GET",
        path: filtered("/Groups", 'displayName eq "Editors"'),
        status: 200,
        response: { totalResults: 1, Resources: [{ id: "{editors}", members: [{ value: "{leo}" }] }] },
      },
      {
        method: "PATCH",
        path: "/Groups/{editors}",
        body: {
          schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
          Operations: [{ op: "add", value: { members: [{ value: "{mina}" }] } }],
        },
        status: 204,
      },
      changeGroup({ op: "remove", path: 'members[value eq "{leo}"]', value: null }),
    ],
    expectedGroups: { Editors: ["mina"] },
  },
  {
    name: "creates a group and changes only labels of its members",
    users: ["mina", "leo"],
    steps: [
      {
        method: "POST",
        path: "/Groups",
        body: { schemas: [groupSchema], displayName: "Editors", members: [{ value: "{mina}" }, { value: "{leo}" }] },
        status: 201,
        as: "editors",
      },
      changeGroup(
        { op: "replace", path: 'members[value eq "{mina}"].display', value: "Mina" },
        { op: "replace", path: "members", value: null },
      ),
    ],
    expectedGroups: { Editors: ["leo", "mina"] },
  },
  {
    name: "deletes a user",
    users: ["mina"],
    steps: [{ method: "DELETE", path: "/Users/{mina}", status: 204 }],
    expected: { mina: { membership: "denied scim", userName: null } },
  },
];

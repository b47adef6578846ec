import { changeGroup, changeUser, filtered, groupSchema, userSchema, type VendorCase } from "./vendor-case";

// Requests of Okta's SCIM 2.0 integrations: changes of a profile replace the whole user, and groups are pushed.

const profile = {
  schemas: [userSchema],
  userName: "mina@{domain}",
  name: { givenName: "Mina", familyName: "Laurent" },
  emails: [{ primary: true, value: "mina@{domain}", type: "work" }],
  displayName: "Mina Laurent",
  locale: "en-US",
  externalId: "00ujl29u0le5T6Aj10h7",
  groups: [],
  password: "1mz050nq",
  active: true,
};

export const okta: VendorCase[] = [
  {
    name: "tests the credentials",
    users: ["mina", "leo", "zoe"],
    steps: [
      {
        method: "GET",
        path: "/Users?startIndex=1&count=2",
        status: 200,
        response: { totalResults: 3, startIndex: 1, itemsPerPage: 2, Resources: [{ id: "{mina}" }, { id: "{leo}" }] },
      },
      {
        method: "GET",
        path: "/Users?startIndex=3&count=2",
        status: 200,
        response: { totalResults: 3, startIndex: 3, itemsPerPage: 1, Resources: [{ id: "{zoe}" }] },
      },
      { method: "GET", path: "/Groups?startIndex=1&count=100", status: 200, response: { totalResults: 0 } },
    ],
  },
  {
    name: "creates a user with a password, groups and a locale",
    steps: [
      {
        method: "GET",
        path: filtered("/Users?startIndex=1&count=100", 'userName eq "mina@{domain}"'),
        status: 200,
        response: { totalResults: 0, Resources: [] },
      },
      {
        method: "POST",
        path: "/Users",
        body: profile,
        status: 201,
        as: "mina",
        response: { userName: "mina@{domain}", externalId: profile.externalId, active: true },
        without: ["password", "locale", "groups"],
      },
      { method: "GET", path: "/Users/{mina}", status: 200, without: ["password"] },
    ],
    expected: {
      mina: { membership: "allowed scim", name: "Mina Laurent", externalId: "00ujl29u0le5T6Aj10h7" },
    },
  },
  {
    name: "pushes a profile, which replaces all attributes",
    users: ["mina"],
    steps: [
      {
        method: "PUT",
        path: "/Users/{mina}",
        body: {
          ...profile,
          id: "{mina}",
          name: { givenName: "Mina", familyName: "Roux" },
          emails: [{ primary: true, value: "mina.roux@{domain}", type: "work" }],
          meta: { resourceType: "User" },
        },
        status: 200,
        response: { id: "{mina}", name: { givenName: "Mina", familyName: "Roux" }, displayName: "Mina Laurent" },
      },
      {
        method: "PUT",
        path: "/Users/{mina}",
        body: { schemas: [userSchema], userName: "mina@{domain}", name: { givenName: "Mina" } },
        status: 200,
        response: { active: true, name: { givenName: "Mina" } },
        without: ["displayName", "externalId"],
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina", email: "mina@{domain}", externalId: null } },
  },
  {
    name: "deactivates a user by PUT",
    users: ["mina"],
    steps: [
      {
        method: "PUT",
        path: "/Users/{mina}",
        body: { ...profile, active: false },
        status: 200,
        response: { active: false },
      },
    ],
    expected: { mina: { membership: "denied scim", externalId: "00ujl29u0le5T6Aj10h7" } },
  },
  {
    name: "deactivates and reactivates a user by PATCH",
    users: ["mina"],
    steps: [
      { ...changeUser({ op: "replace", value: { active: false } }), response: { id: "{mina}", active: false } },
      { ...changeUser({ op: "replace", value: { active: true } }), response: { active: true } },
    ],
    expected: { mina: { membership: "allowed scim" } },
  },
  {
    name: "changes the password of a user, which is ignored",
    users: ["mina"],
    steps: [{ ...changeUser({ op: "replace", value: { password: "new" } }), without: ["password"] }],
    expected: { mina: { membership: "allowed scim", name: "Mina Laurent" } },
  },
  {
    name: "pushes a group with its members",
    users: ["mina", "leo"],
    steps: [
      {
        method: "POST",
        path: "/Groups",
        body: {
          schemas: [groupSchema],
          displayName: "Editors",
          members: [
            { value: "{mina}", display: "mina@{domain}" },
            { value: "{leo}", display: "leo@{domain}" },
          ],
        },
        status: 201,
        as: "editors",
        response: { displayName: "Editors", members: [{ value: "{mina}" }, { value: "{leo}" }] },
      },
      {
        method: "POST",
        path: "/Groups",
        body: { schemas: [groupSchema], displayName: "EDITORS", members: [] },
        status: 409,
        response: { scimType: "uniqueness" },
      },
    ],
    expectedGroups: { Editors: ["leo", "mina"] },
  },
  {
    name: "renames a group without a path",
    users: ["mina"],
    groups: { Editors: ["mina"] },
    steps: [changeGroup({ op: "replace", value: { id: "{editors}", displayName: "Writers" } })],
    expectedGroups: { Writers: ["mina"] },
  },
  {
    name: "removes and adds members in one request",
    users: ["mina", "leo", "zoe"],
    groups: { Editors: ["mina", "leo"] },
    steps: [
      changeGroup(
        { op: "remove", path: 'members[value eq "{mina}"]' },
        { op: "add", path: "members", value: [{ value: "{zoe}", display: "zoe@{domain}" }] },
      ),
    ],
    expectedGroups: { Editors: ["leo", "zoe"] },
  },
  {
    name: "pushes a group now, which replaces its members",
    users: ["mina", "leo"],
    groups: { Editors: ["mina"] },
    steps: [
      changeGroup({ op: "replace", path: "members", value: [{ value: "{leo}", display: "leo@{domain}" }] }),
      { method: "GET", path: "/Groups/{editors}", status: 200, response: { members: [{ value: "{leo}" }] } },
      changeGroup({ op: "replace", path: "members", value: [] }),
    ],
    expectedGroups: { Editors: [] },
  },
  {
    name: "replaces a group by PUT",
    users: ["mina", "leo"],
    groups: { Editors: ["mina"] },
    steps: [
      {
        method: "PUT",
        path: "/Groups/{editors}",
        body: { schemas: [groupSchema], id: "{editors}", displayName: "Writers", members: [{ value: "{leo}" }] },
        status: 200,
        response: { id: "{editors}", displayName: "Writers", members: [{ value: "{leo}" }] },
      },
    ],
    expectedGroups: { Writers: ["leo"] },
  },
  {
    name: "unlinks a group, which deletes it",
    users: ["mina"],
    groups: { Editors: ["mina"], Writers: ["mina"] },
    steps: [{ method: "DELETE", path: "/Groups/{editors}", status: 204 }],
    expected: { mina: { membership: "allowed scim" } },
    expectedGroups: { Writers: ["mina"] },
  },
];

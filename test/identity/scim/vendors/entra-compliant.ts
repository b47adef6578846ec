import { patchOf } from "../../../support/identity/scim";
import { enterpriseSchema, userSchema, type VendorCase } from "./vendor-case";

// Requests of Microsoft Entra ID with the flag `aadOptscim062020`: lower-case operations, booleans, changes without a path whose
// keys are dotted or have a URN, and members removed by value path.

export const entraCompliant: VendorCase[] = [
  {
    name: "creates a user with dotted keys and the URN of the core schema",
    steps: [
      {
        method: "POST",
        path: "/Users",
        body: {
          schemas: [userSchema],
          userName: "mina@{domain}",
          "name.givenName": "Mina",
          [`${userSchema}:name.familyName`]: "Laurent",
          'emails[type eq "work"].value': "mina.laurent@{domain}",
          active: true,
        },
        status: 201,
        as: "mina",
        response: {
          name: { givenName: "Mina", familyName: "Laurent" },
          emails: [{ type: "work", value: "mina.laurent@{domain}", primary: true }],
        },
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Laurent", email: "mina.laurent@{domain}" } },
  },
  {
    name: "replaces several attributes without a path",
    users: ["mina"],
    steps: [
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf({
          op: "replace",
          value: {
            displayName: "Mina R.",
            "name.givenName": "Mina-Rose",
            [`${userSchema}:name.familyName`]: "Roux",
            [`${enterpriseSchema}:department`]: "Sales",
            [`${enterpriseSchema}:manager`]: "42",
            'addresses[type eq "work"].country': "FR",
            roles: [],
            password: "secret",
            title: null,
            externalId: "mina-1",
          },
        }),
        status: 200,
        response: {
          displayName: "Mina R.",
          name: { givenName: "Mina-Rose", familyName: "Roux" },
          externalId: "mina-1",
        },
        without: ["roles", "password", "title", "addresses", enterpriseSchema],
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina-Rose Roux", externalId: "mina-1" } },
  },
  {
    name: "replaces the address by a key with a filter",
    users: ["mina"],
    steps: [
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf({
          op: "replace",
          value: { 'emails[type eq "work"].value': "new@{domain}", 'phoneNumbers[type eq "work"].value': "+33 1" },
        }),
        status: 200,
        response: { emails: [{ value: "new@{domain}", type: "work" }] },
      },
    ],
    expected: { mina: { membership: "allowed scim", email: "new@{domain}" } },
  },
  {
    name: "replaces the address by path and the other attributes without a path in one request",
    users: ["mina"],
    steps: [
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf(
          { op: "replace", path: 'emails[type eq "work"].value', value: "kkom@{domain}" },
          {
            op: "replace",
            value: { "name.givenName": "Kkom", "name.familyName": "Unua", [`${enterpriseSchema}:employeeNumber`]: "7" },
          },
          { op: "add", path: "nickName", value: "Babs" },
        ),
        status: 200,
        response: { name: { givenName: "Kkom", familyName: "Unua" }, emails: [{ value: "kkom@{domain}" }] },
        without: ["nickName", enterpriseSchema],
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Kkom Unua", email: "kkom@{domain}" } },
  },
  {
    name: "adds and removes the manager by a path with a URN",
    users: ["mina"],
    steps: [
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf({ op: "add", path: `${enterpriseSchema}:manager`, value: "42" }),
        status: 200,
        without: [enterpriseSchema],
      },
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf({ op: "remove", path: `${enterpriseSchema}:manager` }),
        status: 200,
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Laurent" } },
  },
  {
    name: "names attributes by full URNs, with and without a filter",
    users: ["mina"],
    steps: [
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf(
          { op: "replace", path: `${userSchema}:name.givenName`, value: "Mila" },
          { op: "replace", path: `${userSchema}:emails[type eq "work"].value`, value: "mila@{domain}" },
          { op: "add", value: { [userSchema]: { displayName: "Mila L." } } },
        ),
        status: 200,
        response: { name: { givenName: "Mila" }, displayName: "Mila L.", emails: [{ value: "mila@{domain}" }] },
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mila Laurent", email: "mila@{domain}" } },
  },
  {
    name: "disables and enables a user with booleans",
    users: ["mina"],
    steps: [
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf({ op: "replace", path: "active", value: false }),
        status: 200,
        response: { active: false },
      },
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf({ op: "replace", value: { active: true } }),
        status: 200,
        response: { active: true },
      },
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf({ op: "replace", value: { active: false } }),
        status: 200,
        response: { active: false },
      },
    ],
    expected: { mina: { membership: "denied scim" } },
  },
  {
    name: "adds members and removes one by value path",
    users: ["mina", "leo", "zoe"],
    groups: { Editors: ["mina"] },
    steps: [
      {
        method: "PATCH",
        path: "/Groups/{editors}",
        body: patchOf({ op: "add", path: "members", value: [{ value: "{leo}" }, { value: "{zoe}" }] }),
        status: 204,
      },
      {
        method: "PATCH",
        path: "/Groups/{editors}",
        body: patchOf({ op: "remove", path: 'members[value eq "{leo}"]' }),
        status: 204,
      },
    ],
    expectedGroups: { Editors: ["mina", "zoe"] },
  },
  {
    name: "changes a group and selects attributes of the response",
    users: ["mina"],
    groups: { Editors: ["mina"] },
    steps: [
      {
        method: "PATCH",
        path: "/Groups/{editors}?attributes=displayName,members",
        body: patchOf({ op: "replace", value: { displayName: "Writers", externalId: "g-1" } }),
        status: 200,
        response: { id: "{editors}", displayName: "Writers", members: [{ value: "{mina}", type: "User" }] },
        without: ["externalId", "meta"],
      },
    ],
    expectedGroups: { Writers: ["mina"] },
  },
];

import { patchOf } from "../../../support/identity/scim";
import { changeGroup, changeUser, enterpriseSchema, userSchema, type VendorCase } from "./vendor-case";

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
        ...changeUser({
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
        ...changeUser({
          op: "replace",
          value: { 'emails[type eq "work"].value': "new@{domain}", 'phoneNumbers[type eq "work"].value': "+33 1" },
        }),
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
        ...changeUser(
          { op: "replace", path: 'emails[type eq "work"].value', value: "kkom@{domain}" },
          {
            op: "replace",
            value: { "name.givenName": "Kkom", "name.familyName": "Unua", [`${enterpriseSchema}:employeeNumber`]: "7" },
          },
          { op: "add", path: "nickName", value: "Babs" },
        ),
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
      { ...changeUser({ op: "add", path: `${enterpriseSchema}:manager`, value: "42" }), without: [enterpriseSchema] },
      changeUser({ op: "remove", path: `${enterpriseSchema}:manager` }),
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Laurent" } },
  },
  {
    name: "names attributes by full URNs, with and without a filter",
    users: ["mina"],
    steps: [
      {
        ...changeUser(
          { op: "replace", path: `${userSchema}:name.givenName`, value: "Mila" },
          { op: "replace", path: `${userSchema}:emails[type eq "work"].value`, value: "mila@{domain}" },
          { op: "add", value: { [userSchema]: { displayName: "Mila L." } } },
        ),
        response: { name: { givenName: "Mila" }, displayName: "Mila L.", emails: [{ value: "mila@{domain}" }] },
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mila Laurent", email: "mila@{domain}" } },
  },
  {
    name: "disables and enables a user with booleans",
    users: ["mina"],
    steps: [
      { ...changeUser({ op: "replace", path: "active", value: false }), response: { active: false } },
      { ...changeUser({ op: "replace", value: { active: true } }), response: { active: true } },
      { ...changeUser({ op: "replace", value: { active: false } }), response: { active: false } },
    ],
    expected: { mina: { membership: "denied scim" } },
  },
  {
    name: "adds members and removes one by value path",
    users: ["mina", "leo", "zoe"],
    groups: { Editors: ["mina"] },
    steps: [
      changeGroup({ op: "add", path: "members", value: [{ value: "{leo}" }, { value: "{zoe}" }] }),
      changeGroup({ op: "remove", path: 'members[value eq "{leo}"]' }),
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

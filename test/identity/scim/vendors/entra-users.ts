import { patchOf } from "../../../support/identity/scim";
import { changeUser, enterpriseSchema, filtered, userSchema, type VendorCase } from "./vendor-case";

// Requests of the provisioning service of Microsoft Entra ID without the flag `aadOptscim062020`: operations begin with a capital
// letter, booleans are texts, members are removed by a list of values.

const unknownId = "7a5c1c7e-7d3b-4f5a-9a36-0d6f6c1b2a10";

export const entraUsers: VendorCase[] = [
  {
    name: "tests the connection with a user name that nobody has",
    steps: [
      {
        method: "GET",
        path: filtered("/Users", `userName eq "${unknownId}"`),
        status: 200,
        response: { totalResults: 0, Resources: [] },
      },
      {
        method: "GET",
        path: filtered("/Groups?excludedAttributes=members", `displayName eq "${unknownId}"`),
        status: 200,
        response: { totalResults: 0, itemsPerPage: 0, startIndex: 1, Resources: [] },
      },
    ],
  },
  {
    name: "creates a user with roles, meta and the enterprise extension",
    steps: [
      {
        method: "POST",
        path: "/Users",
        body: {
          schemas: [userSchema, enterpriseSchema],
          externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
          userName: "Mina@{domain}",
          active: true,
          emails: [{ primary: true, type: "work", value: "mina.laurent@{domain}" }],
          meta: { resourceType: "User" },
          name: { formatted: "Mina Laurent", familyName: "Laurent", givenName: "Mina" },
          roles: [],
          [enterpriseSchema]: { department: "Sales", manager: { value: "42" } },
        },
        status: 201,
        as: "mina",
        response: {
          schemas: [userSchema],
          externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
          userName: "Mina@{domain}",
          active: true,
          emails: [{ primary: true, type: "work", value: "mina.laurent@{domain}" }],
          name: { formatted: "Mina Laurent", familyName: "Laurent", givenName: "Mina" },
        },
        without: ["roles", enterpriseSchema],
      },
    ],
    expected: {
      mina: {
        membership: "allowed scim",
        name: "Mina Laurent",
        email: "mina.laurent@{domain}",
        userName: "Mina@{domain}",
        externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
      },
    },
  },
  {
    name: "creates a user with booleans as texts, null values and unknown schemas",
    steps: [
      {
        method: "POST",
        path: "/Users",
        body: {
          schemas: [userSchema, "urn:ietf:params:scim:schemas:extension:contoso:2.0:User"],
          userName: "leo@{domain}",
          externalId: "leo",
          active: "True",
          displayName: null,
          title: null,
          emails: [
            { primary: "False", type: "other", value: "old@{domain}" },
            { primary: "True", type: "work", value: "leo.b@{domain}" },
          ],
          name: { givenName: "Leo", familyName: null },
          addresses: null,
          "urn:ietf:params:scim:schemas:extension:contoso:2.0:User": { badge: "7" },
        },
        status: 201,
        as: "leo",
        response: { active: true, name: { givenName: "Leo" }, emails: [{ value: "leo.b@{domain}" }] },
        without: ["displayName", "title", "addresses"],
      },
    ],
    expected: { leo: { membership: "allowed scim", name: "Leo", email: "leo.b@{domain}" } },
  },
  {
    name: "creates a user who is not active",
    steps: [
      {
        method: "POST",
        path: "/Users",
        body: { schemas: [userSchema], userName: "leo@{domain}", active: "False" },
        status: 201,
        as: "leo",
        response: { active: false },
      },
    ],
    expected: { leo: { membership: "denied scim", email: "leo@{domain}" } },
  },
  {
    name: "finds a user by each matching attribute",
    users: ["mina"],
    steps: ['userName eq "MINA@{domain}"', 'emails[type eq "work"].value eq "mina@{domain}"', 'id eq "{mina}"'].map(
      (filter) => ({
        method: "GET" as const,
        path: filtered("/Users", filter),
        status: 200,
        response: { totalResults: 1, Resources: [{ id: "{mina}" }] },
      }),
    ),
  },
  {
    name: "finds a user by externalId, in the exact case",
    users: ["mina"],
    steps: [
      { ...changeUser({ op: "Add", path: "externalId", value: "Mina-1" }), response: { externalId: "Mina-1" } },
      { method: "GET", path: filtered("/Users", 'externalId eq "Mina-1"'), status: 200, response: { totalResults: 1 } },
      { method: "GET", path: filtered("/Users", 'externalId eq "mina-1"'), status: 200, response: { totalResults: 0 } },
    ],
    expected: { mina: { membership: "allowed scim", externalId: "Mina-1" } },
  },
  {
    name: "changes address and family name",
    users: ["mina"],
    steps: [
      {
        ...changeUser(
          { op: "Replace", path: 'emails[type eq "work"].value', value: "mina.roux@{domain}" },
          { op: "Replace", path: "name.familyName", value: "Roux" },
        ),
        response: {
          name: { givenName: "Mina", familyName: "Roux" },
          emails: [{ type: "work", value: "mina.roux@{domain}", primary: true }],
        },
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Roux", email: "mina.roux@{domain}" } },
  },
  {
    name: "changes the user name, and with it the address of a user without emails",
    users: ["mina"],
    steps: [
      {
        ...changeUser({ op: "Replace", path: "userName", value: "mina.roux@{domain}" }),
        response: { userName: "mina.roux@{domain}" },
      },
    ],
    expected: {
      mina: { membership: "allowed scim", userName: "mina.roux@{domain}", email: "mina.roux@{domain}" },
    },
  },
  {
    name: "sets attributes that are not stored, by path",
    users: ["mina"],
    steps: [
      {
        ...changeUser(
          { op: "Add", path: `${enterpriseSchema}:department`, value: "Sales" },
          { op: "Add", path: `${enterpriseSchema}:manager`, value: [{ $ref: null, value: "42" }] },
          { op: "Replace", path: 'addresses[type eq "work"].streetAddress', value: "1 Rue Daru" },
          { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+33 1" },
          { op: "Add", path: "roles", value: [{ value: "admin" }] },
          { op: "Replace", path: 'roles[primary eq "True"].value', value: "admin" },
          { op: "Add", path: "password", value: "secret" },
          { op: "Add", path: "title", value: "Head" },
          { op: "Add", path: "displayName", value: "Mina L." },
        ),
        response: { displayName: "Mina L." },
        without: ["addresses", "phoneNumbers", "roles", "password", "title", enterpriseSchema],
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Laurent" } },
  },
  {
    name: "removes an attribute",
    users: ["mina"],
    steps: [
      { ...changeUser({ op: "Add", path: "displayName", value: "Mina L." }), response: { displayName: "Mina L." } },
      {
        ...changeUser({ op: "Remove", path: "displayName" }, { op: "Remove", path: `${enterpriseSchema}:department` }),
        without: ["displayName"],
      },
    ],
  },
  {
    name: "disables a user by text and enables them again",
    users: ["mina"],
    steps: [
      { ...changeUser({ op: "Replace", path: "active", value: "False" }), response: { active: false } },
      {
        method: "GET",
        path: filtered("/Users", "active eq false"),
        status: 200,
        response: { totalResults: 1, Resources: [{ id: "{mina}" }] },
      },
      { ...changeUser({ op: "Replace", path: "active", value: "True" }), response: { active: true } },
    ],
    expected: { mina: { membership: "allowed scim" } },
  },
  {
    name: "disables a user and then deletes them",
    users: ["mina", "leo"],
    groups: { Editors: ["mina", "leo"] },
    steps: [
      {
        ...changeUser({ op: "Replace", path: "active", value: "False" }),
        response: { active: false, groups: [{ value: "{editors}" }] },
      },
      { method: "DELETE", path: "/Users/{mina}", status: 204 },
      { method: "GET", path: "/Users/{mina}", status: 404, response: { status: "404", error_code: "not_found" } },
      { method: "DELETE", path: "/Users/{mina}", status: 404 },
    ],
    expected: { mina: { membership: "denied scim", userName: null }, leo: { membership: "allowed scim" } },
    expectedGroups: { Editors: ["leo"] },
  },
  {
    name: "creates a deleted user again, with the same id",
    users: ["mina"],
    steps: [
      { method: "DELETE", path: "/Users/{mina}", status: 204 },
      {
        method: "POST",
        path: "/Users",
        body: { schemas: [userSchema], userName: "mina@{domain}", externalId: "again", active: true },
        status: 201,
        response: { id: "{mina}", active: true, externalId: "again" },
      },
    ],
    expected: { mina: { membership: "allowed scim", externalId: "again" } },
  },
  {
    name: "creates a disabled user again, with the same id",
    users: ["mina"],
    steps: [
      changeUser({ op: "Replace", path: "active", value: "False" }),
      {
        method: "POST",
        path: "/Users",
        body: { schemas: [userSchema], userName: "MINA@{domain}", active: true, name: { givenName: "Mina" } },
        status: 201,
        response: { id: "{mina}", userName: "MINA@{domain}", active: true },
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina", userName: "MINA@{domain}" } },
  },
  {
    name: "cannot create a user who exists",
    users: ["mina"],
    steps: [
      {
        method: "POST",
        path: "/Users",
        body: { schemas: [userSchema], userName: "Mina@{domain}", active: true },
        status: 409,
        response: { status: "409", scimType: "uniqueness", error_code: "conflict" },
      },
    ],
  },
  {
    name: "cannot disable or delete the last owner",
    owners: ["mina"],
    steps: [
      {
        method: "PATCH",
        path: "/Users/{mina}",
        body: patchOf({ op: "Replace", path: "active", value: "False" }),
        status: 409,
        response: { status: "409", error_code: "last_company_owner" },
      },
      { method: "DELETE", path: "/Users/{mina}", status: 409, response: { error_code: "last_company_owner" } },
      { method: "GET", path: "/Users/{mina}", status: 200, response: { active: true } },
    ],
    expected: { mina: { membership: "allowed scim" } },
  },
];

import { changeUser, enterpriseSchema, filtered, userSchema, type VendorCase } from "./vendor-case";

// Requests of the automatic provisioning of Google Workspace, which has no groups.

export const google: VendorCase[] = [
  {
    name: "tests the connection",
    users: ["mina"],
    steps: [
      {
        method: "GET",
        path: "/Users?startIndex=1&count=1",
        status: 200,
        response: { totalResults: 1, itemsPerPage: 1, Resources: [{ id: "{mina}" }] },
      },
      {
        method: "GET",
        path: "/Users?count=0",
        status: 200,
        response: { totalResults: 1, itemsPerPage: 0, Resources: [] },
      },
    ],
  },
  {
    name: "creates a user with employee data",
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
          schemas: [userSchema, enterpriseSchema],
          externalId: "105250506097979753968",
          userName: "mina@{domain}",
          name: { familyName: "Laurent", givenName: "Mina", formatted: "Mina Laurent" },
          displayName: "Mina Laurent",
          active: true,
          emails: [{ primary: true, type: "work", value: "mina@{domain}" }],
          addresses: [{ type: "work", formatted: "1 Rue Daru" }],
          phoneNumbers: [{ type: "work", value: "+33 1" }],
          title: "Editor",
          preferredLanguage: "fr",
          timezone: "Europe/Paris",
          [enterpriseSchema]: { employeeNumber: "7", organization: "Aster", manager: { displayName: "Leo" } },
        },
        status: 201,
        as: "mina",
        response: { externalId: "105250506097979753968", preferredLanguage: "fr", timezone: "Europe/Paris" },
        without: ["title", "addresses", "phoneNumbers", enterpriseSchema],
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Laurent", externalId: "105250506097979753968" } },
  },
  {
    name: "updates names and emails",
    users: ["mina"],
    steps: [
      {
        ...changeUser(
          { op: "replace", path: "name", value: { givenName: "Mina", familyName: "Roux" } },
          { op: "replace", path: "emails", value: [{ primary: true, type: "work", value: "mina.roux@{domain}" }] },
        ),
        response: { name: { familyName: "Roux" }, emails: [{ value: "mina.roux@{domain}" }] },
      },
    ],
    expected: { mina: { membership: "allowed scim", name: "Mina Roux", email: "mina.roux@{domain}" } },
  },
  {
    name: "suspends a user and deletes them later",
    users: ["mina"],
    steps: [
      { ...changeUser({ op: "replace", path: "active", value: false }), response: { active: false } },
      { method: "DELETE", path: "/Users/{mina}", status: 204 },
    ],
    expected: { mina: { membership: "denied scim", userName: null } },
  },
];

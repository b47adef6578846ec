import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { FieldError, type Mapped, timeOf } from "../../../../cli/people/formats/format.ts";
import { openPeople } from "../../../../cli/people/input/people-file.ts";
import { makeProject } from "../../../support/cli/project.ts";

/** Returns the format that is detected for a file, and its rows without missing fields, or the codes of rows that cannot be mapped. */
async function map(context: TestContext, content: string) {
  const path = join(makeProject(context, { "empty/": "" }), "people");
  writeFileSync(path, content);
  const { format, records } = await openPeople(path, "auto");
  const rows: unknown[] = [];
  for await (const { source } of records) {
    try {
      const { row, unsupportedProviders }: Mapped = format.map(source);
      rows.push(
        JSON.parse(JSON.stringify({ ...row, ...(unsupportedProviders.length > 0 ? { unsupportedProviders } : {}) })),
      );
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      rows.push(error.message);
    }
  }
  return { label: format.label, rows };
}

const created_at = "2021-03-04T05:06:07.000Z";

it("maps Auth0's JSON lines", async (context) => {
  const users = [
    {
      user_id: "google-oauth2|108401234567890123456",
      email: "noor@aster.example",
      email_verified: true,
      name: "Noor Haddad",
      given_name: "Noor",
      family_name: "Haddad",
      nickname: "noor",
      picture: "https://lh3.googleusercontent.com/a/x",
      locale: "fr-CA",
      created_at,
      updated_at: created_at,
      identities: [
        { provider: "google-oauth2", user_id: "108401234567890123456", connection: "google-oauth2", isSocial: true },
        { provider: "github", user_id: 7701, connection: "github", isSocial: true },
        { provider: "windowslive", user_id: "a1b2", connection: "windowslive", isSocial: true },
        { provider: "auth0", user_id: "5f7c8ec7c33c6c004bbafe82", connection: "Username-Password-Authentication" },
      ],
      user_metadata: { zoneinfo: "America/Montreal" },
      app_metadata: { plan: "pro" },
    },
    // Auth0 uses the address as the name of people who signed up with a password.
    { user_id: "auth0|5f7c", email: "leo@aster.example", email_verified: false, name: "leo@aster.example", created_at },
    { user_id: "auth0|5f7d", email: "eve@aster.example", blocked: true },
  ];
  expect(await map(context, users.map((user) => JSON.stringify(user)).join("\n"))).toEqual({
    label: "Auth0",
    rows: [
      {
        email: "noor@aster.example",
        email_verified: true,
        first_name: "Noor",
        last_name: "Haddad",
        language: "fr",
        time_zone: "America/Montreal",
        created_at,
        provider_accounts: [
          { provider: "google", subject: "108401234567890123456" },
          { provider: "github", subject: "7701" },
        ],
        unsupportedProviders: ["windowslive"],
      },
      { email: "leo@aster.example", email_verified: false, created_at, provider_accounts: [] },
      "email: blocked_account",
    ],
  });
});

it("maps Auth0's CSV, with the fields of a job or the titles of the extension", async (context) => {
  const byJob =
    'user_id,email,email_verified,given_name,family_name,name,created_at\n"github|7701",noor@aster.example,true,Noor,Haddad,Noor Haddad,2021-03-04T05:06:07.000Z\n';
  const byExtension =
    "Id,Given Name,Family Name,Nickname,Name,Email,Email Verified,Picture,Connection,Created At,Updated At\napple|001234.abc.0987,,,noor,Noor Haddad,noor@aster.example,true,,apple,2021-03-04T05:06:07.000Z,\n";
  const names = {
    email: "noor@aster.example",
    email_verified: true,
    first_name: "Noor",
    last_name: "Haddad",
    created_at,
  };
  expect(await map(context, byJob)).toEqual({
    label: "Auth0",
    rows: [{ ...names, provider_accounts: [{ provider: "github", subject: "7701" }] }],
  });
  expect(await map(context, byExtension)).toEqual({
    label: "Auth0",
    rows: [{ ...names, provider_accounts: [{ provider: "apple", subject: "001234.abc.0987" }] }],
  });
});

it("maps Clerk's CSV of the dashboard", async (context) => {
  const content = [
    "id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher",
    "user_2a,Noor,Haddad,,Noor@aster.example,,noor@aster.example|n@aster.example,,,,,$2a$10$x,bcrypt",
    "user_2b,,,,leo@aster.example,,,leo@aster.example,,,,,",
  ].join("\n");
  expect(await map(context, content)).toEqual({
    label: "Clerk",
    rows: [
      {
        email: "Noor@aster.example",
        email_verified: true,
        first_name: "Noor",
        last_name: "Haddad",
        provider_accounts: [],
      },
      { email: "leo@aster.example", email_verified: false, provider_accounts: [] },
    ],
  });
});

it("maps Clerk's users of the Backend API", async (context) => {
  const user = {
    id: "user_2a",
    object: "user",
    first_name: "Noor",
    last_name: null,
    locale: "en-GB",
    primary_email_address_id: "idn_2",
    email_addresses: [
      { id: "idn_1", email_address: "old@aster.example", verification: null },
      {
        id: "idn_2",
        email_address: "noor@aster.example",
        verification: { status: "verified", strategy: "email_code" },
      },
    ],
    external_accounts: [
      {
        object: "external_account",
        provider: "oauth_google",
        provider_user_id: "1084",
        email_address: "n@gmail.example",
      },
      { object: "external_account", provider: "oauth_discord", provider_user_id: "9", email_address: "" },
    ],
    banned: false,
    locked: false,
    created_at: 1614834367000,
  };
  const content = JSON.stringify({ data: [user, { ...user, banned: true }], totalCount: 2 });
  expect(await map(context, content)).toEqual({
    label: "Clerk",
    rows: [
      {
        email: "noor@aster.example",
        email_verified: true,
        first_name: "Noor",
        language: "en",
        created_at,
        provider_accounts: [{ provider: "google", subject: "1084" }],
        unsupportedProviders: ["oauth_discord"],
      },
      "email: blocked_account",
    ],
  });
});

it("maps the CSV of Supabase's query, and users of its admin API", async (context) => {
  const tid = "99999999-8888-7777-6666-555555555555";
  const identities = [
    {
      provider: "google",
      identity_data: { sub: "1084", iss: "https://accounts.google.com", email: "noor@aster.example" },
    },
    { provider: "azure", identity_data: { sub: "aad", iss: `https://login.microsoftonline.com/${tid}/v2.0` } },
    { provider: "email", identity_data: { sub: "0f0e", email: "noor@aster.example" } },
    { provider: "azure", identity_data: { sub: "aad" } },
  ];
  const profile = { full_name: "Noor Haddad", avatar_url: "https://x.example/a.png" };
  const cell = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
  const content = [
    "id,email,email_confirmed_at,created_at,banned_until,deleted_at,raw_user_meta_data,identities",
    `0f0e,noor@aster.example,2021-03-04 06:00:00+00,2021-03-04 05:06:07+00,,,${cell(profile)},${cell(identities)}`,
    "0f0f,eve@aster.example,,2021-03-04 05:06:07+00,2999-01-01 00:00:00+00,,{},[]",
    "0f10,leo@aster.example,NULL,2021-03-04 05:06:07+00,,,{},[]",
  ].join("\n");
  const row = {
    email: "noor@aster.example",
    email_verified: true,
    first_name: "Noor",
    last_name: "Haddad",
    created_at,
    provider_accounts: [
      { provider: "google", subject: "1084" },
      { provider: "microsoft", subject: "aad", issuer: `https://login.microsoftonline.com/${tid}/v2.0` },
    ],
    unsupportedProviders: ["azure"],
  };
  const unverified = {
    email: "leo@aster.example",
    email_verified: false,
    created_at,
    provider_accounts: [],
  };
  expect(await map(context, content)).toEqual({
    label: "Supabase Auth",
    rows: [row, "email: blocked_account", unverified],
  });
  const user = {
    id: "0f0e",
    aud: "authenticated",
    role: "authenticated",
    email: "noor@aster.example",
    email_confirmed_at: "2021-03-04T06:00:00Z",
    app_metadata: { provider: "google", providers: ["google"] },
    user_metadata: profile,
    identities,
    created_at: "2021-03-04T05:06:07.000Z",
  };
  const { email_confirmed_at, ...withoutProof } = user;
  // The phone number is confirmed, the address is not.
  const unconfirmed = { ...withoutProof, phone_confirmed_at: email_confirmed_at, confirmed_at: email_confirmed_at };
  expect(await map(context, JSON.stringify({ users: [unconfirmed, user], aud: "authenticated" }))).toEqual({
    label: "Supabase Auth",
    rows: [{ ...row, email_verified: false }, row],
  });
});

it("maps Cognito's list-users and its CSV columns", async (context) => {
  const attributes = {
    sub: "d16b4aa8",
    email: "noor@aster.example",
    email_verified: "true",
    given_name: "Noor",
    family_name: "Haddad",
    locale: "fr_FR",
    zoneinfo: "Europe/Paris",
    identities: JSON.stringify([
      {
        userId: "1084",
        providerName: "Google",
        providerType: "Google",
        issuer: null,
        primary: "true",
        dateCreated: "1614834367000",
      },
      {
        userId: "fb",
        providerName: "Facebook",
        providerType: "Facebook",
        issuer: null,
        primary: "false",
        dateCreated: "1614834367000",
      },
    ]),
  };
  const list = Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
  const user = {
    Username: "Google_1084",
    Attributes: list,
    UserCreateDate: "2021-03-04T06:06:07+01:00",
    Enabled: true,
  };
  const row = {
    email: "noor@aster.example",
    email_verified: true,
    first_name: "Noor",
    last_name: "Haddad",
    language: "fr",
    time_zone: "Europe/Paris",
  };
  expect(await map(context, JSON.stringify({ Users: [user, { ...user, Enabled: false }] }, null, 4))).toEqual({
    label: "Amazon Cognito",
    rows: [
      {
        ...row,
        created_at,
        provider_accounts: [{ provider: "google", subject: "1084" }],
        unsupportedProviders: ["Facebook"],
      },
      "email: blocked_account",
    ],
  });
  const csv =
    "cognito:username,name,given_name,family_name,email,email_verified,zoneinfo,locale,cognito:mfa_enabled\nnoor,,Noor,Haddad,noor@aster.example,TRUE,Europe/Paris,fr,FALSE\n";
  expect((await map(context, csv)).rows).toEqual([{ ...row, provider_accounts: [] }]);
});

it("maps Firebase's JSON, and its CSV without a header line", async (context) => {
  const user = {
    localId: "k1",
    email: "noor@aster.example",
    emailVerified: true,
    displayName: "Noor Haddad",
    photoUrl: "https://lh3.googleusercontent.com/a/x",
    lastSignedInAt: "1764000000000",
    createdAt: "1614834367000",
    providerUserInfo: [
      { providerId: "google.com", rawId: "1084", email: "noor@aster.example", displayName: "Noor", photoUrl: "x" },
      { providerId: "facebook.com", rawId: "9", email: "noor@aster.example" },
    ],
  };
  const row = {
    email: "noor@aster.example",
    email_verified: true,
    first_name: "Noor",
    last_name: "Haddad",
    created_at,
    provider_accounts: [{ provider: "google", subject: "1084" }],
    unsupportedProviders: ["facebook.com"],
  };
  const expected = { label: "Firebase", rows: [row, "email: blocked_account"] };
  expect(await map(context, JSON.stringify({ users: [user, { ...user, disabled: true }] }, null, 2))).toEqual(expected);
  const line = (name: string, disabled: string) =>
    `k1,noor@aster.example,true,,,${name},,1084,noor@aster.example,Noor "N" H,,9,noor@aster.example,,,,,,,,,,,1614834367000,1764000000000,,${disabled},,\n`;
  expect(await map(context, line("Noor Haddad", "false") + line("Noor Haddad", "true"))).toEqual(expected);
});

it("maps CSV with the names of columns that people use", async (context) => {
  const content = [
    "E-Mail,Email Verified,First Name,Surname,Locale,Time zone,Created,Groups,Google ID,provider_accounts,Notes",
    "noor@aster.example,yes,Noor,Haddad,fr,Europe/Paris,2021-03-04,Sales; Support,1084,github:7701;oidc-acme:a:b,x",
    `leo@aster.example,,,,de,,1614834367,"[""A;B"",""[C]""]",,"[{""provider"":""apple"",""subject"":""1""}]",`,
    "eve@aster.example,,,,,,yesterday,,,,",
    "mia@aster.example,,,,,,,[Sales,,,",
  ].join("\n");
  expect(await map(context, content)).toEqual({
    label: "CSV",
    rows: [
      {
        email: "noor@aster.example",
        email_verified: true,
        first_name: "Noor",
        last_name: "Haddad",
        language: "fr",
        time_zone: "Europe/Paris",
        created_at: "2021-03-04T00:00:00.000Z",
        groups: ["Sales", "Support"],
        provider_accounts: [
          { provider: "github", subject: "7701" },
          { provider: "oidc-acme", subject: "a:b" },
          { provider: "google", subject: "1084" },
        ],
      },
      {
        email: "leo@aster.example",
        email_verified: false,
        created_at,
        groups: ["A;B", "[C]"],
        provider_accounts: [{ provider: "apple", subject: "1" }],
      },
      "created_at: invalid",
      "groups: invalid_json",
    ],
  });
});

it.each([
  ["2021-03-04T05:06:07Z", created_at],
  ["2021-03-04 05:06:07.000000+00", created_at],
  ["2021-03-04 05:06:07 UTC", created_at],
  ["2021-03-04T07:06:07+02:00", created_at],
  ["2021-03-04T07:06:07+0200", created_at],
  [1614834367, created_at],
  ["1614834367000", created_at],
  [1614834367.25, "2021-03-04T05:06:07.250Z"],
  ["", undefined],
  [null, undefined],
])("reads the time %s", (value, time) => {
  expect(timeOf(value)).toBe(time);
});

it.each(["2021-02-30", "04/03/2021", "soon", "2021-03-04T25:00:00Z"])("does not read the time %s", (value) => {
  expect(() => timeOf(value)).toThrow("created_at: invalid");
});

import { and, eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { memberships } from "../../../db/identity/schema";
import {
  callerWith,
  createPatFor,
  eventsOf,
  expectJson,
  readError,
  signInMember,
  signInNewMember,
  type TestUser,
} from "../../support/identity/account";
import {
  callIdentity,
  createCompany,
  createMailbox,
  createUser,
  requestLink,
  type Tokens,
} from "../../support/identity/identity";
import { changeMemberships, changeUser, deleteRows, findUser, storeMembership } from "../../support/identity/rows";

const path = "/api/v1/user";
type User = { id: string; email: string; app_metadata: object; user_metadata: Record<string, unknown> };

const show = async (user: TestUser) => (await expectJson<User>(await user.call("GET", path))).user_metadata;
const rejectedFields = async (response: Response) => {
  expect(response.status).toBe(400);
  return (await response.json<{ field_errors: unknown }>()).field_errors;
};

describe("GET /user", () => {
  it("returns id, email, provider, company and the claims of the token, with the user's own metadata and last_seen_at", async () => {
    const user = await signInNewMember();
    const avatar_url = "https://a.example/m.png";
    await changeUser(user.id, { metadata: { team: "blue" }, last_name: "Laurent", avatar_url });
    await changeMemberships(user.id, { last_seen_at: 1700000000000 });
    const name = "Laurent";
    expect(await expectJson(await user.call("GET", path))).toEqual({
      id: String(user.id),
      email: user.email,
      app_metadata: { provider: "magic_link", company_id: user.company.id },
      user_metadata: {
        team: "blue",
        name,
        full_name: name,
        avatar_url: "https://a.example/m.png",
        is_staff: false,
        is_company_owner: false,
        platformPreferences: { themeName: "default", language: "en", region: "UTC", colorScheme: "system" },
        groups: [],
        last_seen_at: "2023-11-14T22:13:20.000Z",
      },
    });
  });

  it("accepts a read-only token and returns its provider", async () => {
    const user = await signInNewMember();
    const call = callerWith(user.env, await createPatFor(user, { readOnly: true }));
    expect(await expectJson<User>(await call("GET", path))).toMatchObject({
      app_metadata: { provider: "personal_access_token", company_id: user.company.id },
    });
    expect(await readError(await call("PATCH", path, { name: "Mina" }))).toEqual([403, "pat_read_only"]);
    expect(await readError(await call("PUT", path, { data: {} }))).toEqual([403, "pat_read_only"]);
  });
});

describe("PATCH /user", () => {
  it.each([
    ["  Mina   de  la\u00a0Cruz ", "Mina", "de la Cruz"],
    ["Mina", "Mina", ""],
    ["李 小龙", "李", "小龙"],
    ["x".repeat(150), "x".repeat(150), ""],
    [`a${" ".repeat(300)}b`, "a", "b"],
  ])("stores %j as first and last name", async (name, first, last) => {
    const user = await signInNewMember();
    const fullName = [first, last].filter((part) => part !== "").join(" ");
    expect(await expectJson<User>(await user.call("PATCH", path, { name }))).toMatchObject({
      user_metadata: { name: fullName, full_name: fullName },
    });
    expect(await findUser(user.id)).toMatchObject({ first_name: first, last_name: last });
  });

  it.each([
    [{}, { name: ["required"] }],
    [{ name: "" }, { name: ["blank"] }],
    [{ name: " \u00a0 " }, { name: ["blank"] }],
    [{ name: "x".repeat(151) }, { name: ["too_long"] }],
    [{ name: null }, { name: ["invalid"] }],
    [{ name: 7 }, { name: ["invalid"] }],
    [{ name: "a\u0000b" }, { name: ["invalid"] }],
    [{ name: "a\nb" }, { name: ["invalid"] }],
    [{ name: "a\ud800b" }, { name: ["invalid"] }],
    [{ name: "Mi\u200bna" }, { name: ["invalid"] }],
    [{ name: "\u202eaniM" }, { name: ["invalid"] }],
    [{ name: "\u3164" }, { name: ["invalid"] }],
    [{ name: "Mina https://evil.example" }, { name: ["invalid"] }],
    [{ name: "mina@evil.example" }, { name: ["invalid"] }],
  ])("rejects %j", async (body, field_errors) => {
    const user = await signInNewMember();
    expect(await rejectedFields(await user.call("PATCH", path, body))).toEqual(field_errors);
  });

  it("emits one event for changed names, and none for the same name", async () => {
    const user = await signInNewMember();
    await user.call("PATCH", path, { name: "Mina Laurent" });
    await user.call("PATCH", path, { name: "Mina  Laurent" });
    await user.call("PATCH", path, { name: "Mina Petit" });
    const events = await eventsOf(user.company.id, "identity.user.updated", user.id);
    expect(events.map(({ data }) => data.changed_fields)).toEqual([["first_name", "last_name"], ["last_name"]]);
    expect(events[0]).toMatchObject({
      data: { user_id: user.id, email: user.email, source: "self", language: "en", region: "UTC" },
      actor: { kind: "session", user_id: user.id },
    });
  });

  it("accepts a writable token and records it as the actor", async () => {
    const user = await signInNewMember();
    const call = callerWith(user.env, await createPatFor(user));
    expect(await expectJson<User>(await call("PATCH", path, { name: "Leo" }))).toMatchObject({
      user_metadata: { name: "Leo" },
    });
    const [event] = await eventsOf(user.company.id, "identity.user.updated", user.id);
    expect(event?.actor).toEqual({ kind: "pat", user_id: user.id });
  });

  it.each(["is_staff", "is_superuser", "is_company_owner"])("rejects %s in the body, including PUT", async (field) => {
    const user = await signInNewMember();
    for (const [method, body] of [
      ["PATCH", { name: "Leo" }],
      ["PUT", { data: { a: 1 } }],
    ] as const) {
      const response = await user.call(method, path, { ...body, [field]: false });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error_code: "admin_only_field",
        field_errors: { [field]: ["not_allowed"] },
      });
    }
    expect(await show(user)).not.toHaveProperty("a");
    expect((await show(user)).name).toBe("");
  });
});

describe("PUT /user", () => {
  it("adds new metadata keys, replaces existing values completely, and removes keys with null", async () => {
    const user = await signInNewMember();
    const first = {
      color: "red",
      deep: { x: 1, none: null },
      list: [1, null, { a: null }],
      'a"b\\c\u0001 é': "\ud800",
    };
    expect(await expectJson<User>(await user.call("PUT", path, { data: first }))).toMatchObject({
      user_metadata: first,
    });
    const second = { deep: { y: 0.1 + 0.2 }, color: null, size: 1e21, gone: null };
    const after = (await expectJson<User>(await user.call("PUT", path, { data: second }))).user_metadata;
    expect(after).toMatchObject({ deep: { y: 0.1 + 0.2 }, list: first.list, size: 1e21, 'a"b\\c\u0001 é': "\ud800" });
    expect(after.deep).toEqual({ y: 0.1 + 0.2 });
    expect(Object.keys(after)).not.toContain("color");
    expect(Object.keys(after)).not.toContain("gone");
    expect(await show(user)).toEqual(after);
    await user.call("PUT", path, { data: { 'a"b\\c\u0001 é': null } });
    expect(Object.keys(await show(user)).filter((key) => key.startsWith('a"'))).toEqual([]);
  });

  it("ignores keys for names, privileges and groups, and keys that the service computes", async () => {
    const user = await signInNewMember();
    const before = await show(user);
    const data = {
      name: "x",
      full_name: "x",
      first_name: "x",
      last_name: "x",
      is_staff: true,
      is_superuser: true,
      is_company_owner: true,
      groups: ["admins"],
      groups_truncated: true,
      group_ids: ["x"],
      avatar_url: "javascript:1",
      last_seen_at: "x",
    };
    expect(
      (await expectJson<User>(await user.call("PUT", path, { data: { ...data, kept: 1 } }))).user_metadata,
    ).toEqual({
      ...before,
      kept: 1,
    });
    const row = await findUser(user.id);
    expect([row?.metadata, row?.is_staff, row?.first_name]).toEqual([{ kept: 1 }, false, ""]);
  });

  it("stores platformPreferences as preferences after validation", async () => {
    const user = await signInNewMember();
    const data = { platformPreferences: { colorScheme: "dark", language: "fr" }, kept: 1 };
    expect((await expectJson<User>(await user.call("PUT", path, { data }))).user_metadata).toMatchObject({
      kept: 1,
      platformPreferences: { themeName: "default", language: "fr", region: "UTC", colorScheme: "dark" },
    });
    expect((await findUser(user.id))?.metadata).toEqual({ kept: 1 });
    expect(
      await rejectedFields(await user.call("PUT", path, { data: { platformPreferences: { language: "de" } } })),
    ).toEqual({
      "data.platformPreferences.language": ["invalid"],
    });
    expect(await rejectedFields(await user.call("PUT", path, { data: { platformPreferences: "x" } }))).toEqual({
      "data.platformPreferences": ["invalid"],
    });
    const events = await eventsOf(user.company.id, "identity.user.updated", user.id);
    expect(events.map((event) => event.data.changed_fields)).toEqual([["user_metadata", "language"]]);
  });

  it.each([
    [{}, { data: ["required"] }],
    [{ data: null }, { data: ["invalid"] }],
    [{ data: [] }, { data: ["invalid"] }],
    [{ data: "x" }, { data: ["invalid"] }],
    [{ data: { big: "x".repeat(8193) } }, { data: ["too_long"] }],
    [{ data: { big: "é".repeat(4096) } }, { data: ["too_long"] }],
    [{ data: { deep: JSON.parse(`${"[".repeat(3000)}${"]".repeat(3000)}`) } }, { data: ["invalid"] }],
  ])("rejects the body %#", async (body, field_errors) => {
    const user = await signInNewMember();
    expect(await rejectedFields(await user.call("PUT", path, body))).toEqual(field_errors);
    expect(await eventsOf(user.company.id, "identity.user.updated", user.id)).toEqual([]);
  });

  it("treats every key literally and rejects one with U+0000, which would remove other keys", async () => {
    const user = await signInNewMember();
    const data = { "": 1, $: 2, "a.b": 3, "[0]": 4, 'q"\\': 5, "\ud800": "\udfff", "\n": "v\u0000w", é: 6, a: 7 };
    expect((await user.call("PUT", path, { data })).status).toBe(200);
    expect(await rejectedFields(await user.call("PUT", path, { data: { "a\u0000b": 1 } }))).toEqual({
      data: ["invalid"],
    });
    expect((await user.call("PUT", path, { data: { "": null, "a.b": null } })).status).toBe(200);
    const { "": _, "a.b": __, ...left } = data;
    const shownMetadata = await show(user);
    expect(Object.fromEntries(Object.entries(shownMetadata).filter(([key]) => key in data))).toEqual(left);
  });

  it("stores at most 8 KiB of metadata in total, and rejects a larger change completely", async () => {
    const user = await signInNewMember();
    const largestValue = "x".repeat(8192 - '{"a":""}'.length);
    expect((await user.call("PUT", path, { data: { a: largestValue } })).status).toBe(200);
    const more = { b: 1, platformPreferences: { language: "fr" } };
    expect(await rejectedFields(await user.call("PUT", path, { data: more }))).toEqual({ data: ["too_long"] });
    expect(await show(user)).toMatchObject({ platformPreferences: { language: "en" } });
    expect((await user.call("PUT", path, { data: { a: null, b: 1 } })).status).toBe(200);
    expect((await findUser(user.id))?.metadata).toEqual({ b: 1 });
  });

  it("stores each of 50 parallel changes", async () => {
    const user = await signInNewMember();
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) => user.call("PUT", path, { data: { [`key${i}`]: i } })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const shownMetadata = await show(user);
    expect(Array.from({ length: 50 }, (_, i) => shownMetadata[`key${i}`])).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    );
  });

  it("never lets parallel changes exceed 8 KiB", async () => {
    const user = await signInNewMember();
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => user.call("PUT", path, { data: { [`key${i}`]: "x".repeat(1000) } })),
    );
    const accepted = responses.filter(({ status }) => status === 200).length;
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(12 - accepted);
    expect(accepted).toBe(8);
    expect(Object.keys(await show(user)).filter((key) => key.startsWith("key"))).toHaveLength(8);
  });
});

describe("profiles of a user in two companies", () => {
  async function createInTwoCompanies() {
    const first = await signInNewMember();
    await first.call("PATCH", path, { name: "Mina Laurent" });
    await first.call("PUT", path, { data: { team: "blue", level: 1 } });
    const second = await signInMember(await createCompany(), first.email);
    return { first, second };
  }

  it("shows a second company the first company's names and metadata at first", async () => {
    const { second } = await createInTwoCompanies();
    expect(await show(second)).toMatchObject({ name: "Mina Laurent", team: "blue", level: 1 });
  });

  it("changes only the profile of the session's company, not email or account", async () => {
    const { first, second } = await createInTwoCompanies();
    const changed = await expectJson<User>(await second.call("PATCH", path, { name: "M. L." }));
    expect(changed.user_metadata).toMatchObject({ name: "M. L.", full_name: "M. L.", team: "blue" });
    await second.call("PUT", path, { data: { team: "red", level: null } });
    expect(await show(second)).toMatchObject({ name: "M. L.", team: "red" });
    expect(await show(second)).not.toHaveProperty("level");
    expect(await show(first)).toMatchObject({ name: "Mina Laurent", team: "blue", level: 1 });
    await first.call("PATCH", path, { name: "Mina" });
    expect(await show(first)).toMatchObject({ name: "Mina", team: "blue" });
    expect(await show(second)).toMatchObject({ name: "M. L.", team: "red" });
    const user = await findUser(first.id);
    expect(user).toMatchObject({ first_name: "Mina", last_name: "Laurent" });
    expect(user?.metadata).toEqual({ team: "blue", level: 1 });
  });

  it("uses the company's profile in tokens, mails and events", async () => {
    const { first, second } = await createInTwoCompanies();
    await second.call("PATCH", path, { name: "M. L." });
    const claims = async (user: TestUser) => {
      const body = { refresh_token: user.tokens.refresh_token };
      const refreshed = await expectJson<Tokens>(
        await user.call("POST", "/api/v1/token?grant_type=refresh_token", body),
      );
      return decodeJwt(refreshed.access_token).user_metadata as Record<string, unknown>;
    };
    expect(await claims(first)).toMatchObject({ name: "Mina Laurent", full_name: "Mina Laurent" });
    expect(await claims(second)).toMatchObject({ name: "M. L.", full_name: "M. L." });
    expect(decodeJwt(await createPatFor(second)).user_metadata).toMatchObject({ name: "M. L." });
    const mailbox = createMailbox();
    const mailOf = async (user: TestUser) =>
      (await requestLink({ ...user.env, EMAIL: mailbox as unknown as Fetcher }, mailbox, user.company, first.email))
        .mail;
    expect((await mailOf(first)).variables.recipient_name).toBe("Mina");
    expect((await mailOf(second)).variables.recipient_name).toBe("M.");
    expect(await eventsOf(first.company.id, "identity.user.updated", first.id)).toHaveLength(2);
    expect(await eventsOf(second.company.id, "identity.user.updated", first.id)).toHaveLength(1);
  });

  it("keeps a company's own profile when the other membership ends, whatever the state of that membership was", async () => {
    const first = await signInNewMember();
    const other = await createCompany();
    await storeMembership(other.id, first.id, { state: "denied", state_reason: "admin" });
    await first.call("PATCH", path, { name: "Mina" });
    expect((await findUser(first.id))?.first_name).toBe("");
    await deleteRows(memberships, and(eq(memberships.company_id, other.id), eq(memberships.user_id, first.id)));
    await first.call("PUT", path, { data: { team: "blue" } });
    expect(await show(first)).toMatchObject({ name: "Mina", team: "blue" });
    const user = await findUser(first.id);
    expect([user?.first_name, user?.metadata]).toEqual(["", {}]);
  });

  it("stores each of 50 parallel changes of one profile", async () => {
    const { first, second } = await createInTwoCompanies();
    await Promise.all(Array.from({ length: 50 }, (_, i) => second.call("PUT", path, { data: { [`key${i}`]: i } })));
    expect(Object.keys(await show(second)).filter((key) => key.startsWith("key"))).toHaveLength(50);
    expect(Object.keys(await show(first)).filter((key) => key.startsWith("key"))).toHaveLength(0);
  });
});

describe("bodies and methods of /user", () => {
  it("rejects invalid bodies and methods with their codes after the credential check", async () => {
    const user = await signInNewMember();
    const headers = { authorization: `Bearer ${user.tokens.access_token}` };
    const send = (type: string, body: string, authorization = headers) =>
      callIdentity(user.env, path, { method: "PUT", headers: { ...authorization, "content-type": type }, body });
    expect(await readError(await send("text/plain", "{}"))).toEqual([415, "unsupported_media_type"]);
    expect(await readError(await send("application/json", "["))).toEqual([400, "validation_failed"]);
    expect(await readError(await send("application/json", `{"a":"${"x".repeat(70_000)}"}`))).toEqual([
      413,
      "payload_too_large",
    ]);
    expect(await readError(await send("text/plain", "{}", { authorization: "Bearer x" }))).toEqual([
      401,
      "token_invalid",
    ]);
    expect((await user.call("POST", path, {})).status).toBe(405);
  });

  it("rejects a pending or denied user before anything else", async () => {
    const user = await signInNewMember();
    for (const [state, code] of [
      ["pending", "access_pending"],
      ["denied", "access_denied"],
    ] as const) {
      await changeMemberships(user.id, { state });
      expect(await readError(await user.call("PATCH", path, {}))).toEqual([403, code]);
    }
  });

  it("shows the stored staff status and ownership", async () => {
    const company = await createCompany();
    const email = `${crypto.randomUUID().slice(0, 8)}@example.com`;
    await createUser({ email, company: company.id, owner: true, staff: true });
    expect(await show(await signInMember(company, email))).toMatchObject({ is_staff: true, is_company_owner: true });
  });
});

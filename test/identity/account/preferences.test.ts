import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { preferences } from "../../../db/identity/schema";
import {
  callerWith,
  createPatFor,
  eventsOf,
  expectJson,
  readError,
  signInMember,
  signInNewMember,
} from "../../support/identity/account";
import { callIdentity, createCompany, json, type Tokens } from "../../support/identity/identity";
import { countRows } from "../../support/identity/rows";

const path = "/api/v1/preferences";
const tokenDefaults = { themeName: "default", language: "en", region: "UTC", colorScheme: "system" };
const defaults = { ...tokenDefaults, pinned: [] };

describe("preferences", () => {
  it("returns the defaults until preferences are stored, changes single fields, and returns the defaults again after DELETE", async () => {
    const { call } = await signInNewMember();
    expect(await expectJson(await call("GET", path))).toEqual(defaults);
    expect(await expectJson(await call("PUT", path, { language: "fr" }))).toEqual({ ...defaults, language: "fr" });
    const more = { themeName: " Night ", region: "Europe/Paris", colorScheme: "dark" };
    const all = { ...defaults, themeName: "Night", language: "fr", region: "Europe/Paris", colorScheme: "dark" };
    expect(await expectJson(await call("PUT", path, more))).toEqual(all);
    expect(await expectJson(await call("GET", path))).toEqual(all);
    expect((await call("DELETE", path)).status).toBe(204);
    expect(await expectJson(await call("GET", path))).toEqual(defaults);
    expect((await call("DELETE", path)).status).toBe(204);
  });

  it("stores nothing, and therefore no language, for a body without a known field", async () => {
    const { call, id } = await signInNewMember();
    expect(await expectJson(await call("PUT", path, { other: 1 }))).toEqual(defaults);
    expect(await countRows(preferences, eq(preferences.user_id, id))).toBe(0);
  });

  it("replaces pinned places, keeps them out of tokens and users, and stores no language with them", async () => {
    const { call, id, tokens } = await signInNewMember();
    const pinned = ["orders", "", "team/plans"];
    expect(await expectJson(await call("PUT", path, { pinned }))).toEqual({ ...defaults, pinned });
    expect(await countRows(preferences, eq(preferences.user_id, id))).toBe(0);
    expect(await expectJson(await call("PUT", path, { language: "fr" }))).toMatchObject({ language: "fr", pinned });
    expect(await expectJson(await call("PUT", path, { pinned: ["orders"] }))).toMatchObject({ pinned: ["orders"] });
    const { user_metadata } = await expectJson<{ user_metadata: object }>(await call("GET", "/api/v1/user"));
    expect(user_metadata).toMatchObject({ platformPreferences: { ...tokenDefaults, language: "fr" } });
    expect(JSON.stringify([user_metadata, decodeJwt(tokens.access_token)])).not.toContain("pinned");
    expect((await call("DELETE", path)).status).toBe(204);
    expect(await expectJson(await call("GET", path))).toEqual(defaults);
  });

  it.each([
    [{ pinned: Array(51).fill("a") }, { pinned: ["too_many"] }],
    [{ pinned: ["a", "x".repeat(201)] }, { "pinned.1": ["too_long"] }],
    [{ pinned: "a" }, { pinned: ["invalid"] }],
    [{ themeName: "x".repeat(101) }, { themeName: ["too_long"] }],
    [{ themeName: " " }, { themeName: ["blank"] }],
    [{ themeName: "a\u0007b" }, { themeName: ["invalid"] }],
    [{ themeName: null }, { themeName: ["invalid"] }],
    [{ language: "de" }, { language: ["invalid"] }],
    [{ language: "fr-FR" }, { language: ["invalid"] }],
    [{ region: "x".repeat(65) }, { region: ["too_long"] }],
    [{ region: 1 }, { region: ["invalid"] }],
    [{ colorScheme: "auto" }, { colorScheme: ["invalid"] }],
    [
      { colorScheme: "auto", language: "de" },
      { colorScheme: ["invalid"], language: ["invalid"] },
    ],
  ])("rejects %j", async (body, field_errors) => {
    const { call, id } = await signInNewMember();
    const response = await call("PUT", path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: "validation_failed", field_errors });
    expect(await countRows(preferences, eq(preferences.user_id, id))).toBe(0);
  });

  it("accepts the longest values", async () => {
    const { call } = await signInNewMember();
    const longest = { themeName: "x".repeat(100), region: "y".repeat(64) };
    expect(await expectJson(await call("PUT", path, longest))).toMatchObject(longest);
  });

  it("applies preferences in every company, in the user object and in the next token", async () => {
    const user = await signInNewMember();
    const elsewhere = await signInMember(await createCompany(), user.email);
    await user.call("PUT", path, { colorScheme: "light", language: "fr" });
    expect(await expectJson(await elsewhere.call("GET", path))).toMatchObject({ colorScheme: "light", language: "fr" });
    expect(await expectJson(await elsewhere.call("GET", "/api/v1/user"))).toMatchObject({
      user_metadata: { platformPreferences: { colorScheme: "light" } },
    });
    const refreshed = await elsewhere.call("POST", "/api/v1/token?grant_type=refresh_token", {
      refresh_token: elsewhere.tokens.refresh_token,
    });
    expect(decodeJwt((await expectJson<Tokens>(refreshed)).access_token).user_metadata).toMatchObject({
      platformPreferences: { ...tokenDefaults, colorScheme: "light", language: "fr" },
    });
  });

  it("emits events only for changes of language and region, which are in the event's user block", async () => {
    const { call, company, id } = await signInNewMember();
    await call("PUT", path, { colorScheme: "dark" });
    await call("PUT", path, { language: "fr", region: "Europe/Paris", themeName: "x" });
    await call("PUT", path, { language: "fr" });
    await call("DELETE", path);
    await call("DELETE", path);
    const events = await eventsOf(company.id, "identity.user.updated", id);
    expect(events.map(({ data }) => [data.changed_fields, data.source, data.language, data.region])).toEqual([
      [["language", "region"], "self", "fr", "Europe/Paris"],
      [["language", "region"], "self", "en", "UTC"],
    ]);
    expect(events[0]?.actor).toEqual({ kind: "session", user_id: id });
  });

  it("lets any token read preferences, but only a writable token change them", async () => {
    const user = await signInNewMember();
    const writer = callerWith(user.env, await createPatFor(user));
    const reader = callerWith(user.env, await createPatFor(user, { readOnly: true }));
    expect(await expectJson(await writer("PUT", path, { language: "fr" }))).toMatchObject({ language: "fr" });
    expect(await expectJson(await reader("GET", path))).toMatchObject({ language: "fr" });
    expect(await readError(await reader("PUT", path, { language: "en" }))).toEqual([403, "pat_read_only"]);
    expect(await readError(await reader("DELETE", path))).toEqual([403, "pat_read_only"]);
    expect((await writer("DELETE", path)).status).toBe(204);
  });

  it("stores every field of 50 parallel changes", async () => {
    const { call } = await signInNewMember();
    const bodies = Array.from({ length: 50 }, (_, i) =>
      [{ themeName: "Night" }, { language: "fr" }, { region: "Asia/Tokyo" }, { colorScheme: "dark" }].at(i % 4),
    );
    await Promise.all(bodies.map((body) => call("PUT", path, body)));
    expect(await expectJson(await call("GET", path))).toEqual({
      themeName: "Night",
      language: "fr",
      region: "Asia/Tokyo",
      colorScheme: "dark",
      pinned: [],
    });
  });

  it("requires a bearer token", async () => {
    const { env } = await signInNewMember();
    expect(await readError(await callIdentity(env, path))).toEqual([401, "unauthorized"]);
    expect(await readError(await callIdentity(env, path, { ...json({}), method: "PUT" }))).toEqual([
      401,
      "unauthorized",
    ]);
  });
});

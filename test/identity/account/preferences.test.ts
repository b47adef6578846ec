import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { preferences } from "../../../db/identity/schema";
import { answer, callerWith, createPatFor, enter, eventsOf, newMember, refusal } from "../../support/identity/account";
import { callIdentity, createCompany, json, type Tokens } from "../../support/identity/identity";
import { countRows } from "../../support/identity/rows";

const path = "/api/v1/preferences";
const defaults = { themeName: "default", language: "en", region: "UTC", colorScheme: "system" };

describe("preferences", () => {
  it("returns the defaults until preferences are stored, changes them in parts, and returns to the defaults after DELETE", async () => {
    const { call } = await newMember();
    expect(await answer(await call("GET", path))).toEqual(defaults);
    expect(await answer(await call("PUT", path, { language: "fr" }))).toEqual({ ...defaults, language: "fr" });
    const more = { themeName: " Night ", region: "Europe/Paris", colorScheme: "dark" };
    const all = { themeName: "Night", language: "fr", region: "Europe/Paris", colorScheme: "dark" };
    expect(await answer(await call("PUT", path, more))).toEqual(all);
    expect(await answer(await call("GET", path))).toEqual(all);
    expect((await call("DELETE", path)).status).toBe(204);
    expect(await answer(await call("GET", path))).toEqual(defaults);
    expect((await call("DELETE", path)).status).toBe(204);
  });

  it("stores preferences only when a field is present, so that an empty change chooses no language", async () => {
    const { call, id } = await newMember();
    expect(await answer(await call("PUT", path, { other: 1 }))).toEqual(defaults);
    expect(await countRows(preferences, eq(preferences.user_id, id))).toBe(0);
  });

  it.each([
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
    const { call, id } = await newMember();
    const refused = await call("PUT", path, body);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error_code: "validation_failed", field_errors });
    expect(await countRows(preferences, eq(preferences.user_id, id))).toBe(0);
  });

  it("accepts the longest values", async () => {
    const { call } = await newMember();
    const longest = { themeName: "x".repeat(100), region: "y".repeat(64) };
    expect(await answer(await call("PUT", path, longest))).toMatchObject(longest);
  });

  it("applies preferences in every company, in the user object and in the next token", async () => {
    const user = await newMember();
    const elsewhere = await enter(await createCompany(), user.email);
    await user.call("PUT", path, { colorScheme: "light", language: "fr" });
    expect(await answer(await elsewhere.call("GET", path))).toMatchObject({ colorScheme: "light", language: "fr" });
    expect(await answer(await elsewhere.call("GET", "/api/v1/user"))).toMatchObject({
      user_metadata: { platformPreferences: { colorScheme: "light" } },
    });
    const refreshed = await elsewhere.call("POST", "/api/v1/token?grant_type=refresh_token", {
      refresh_token: elsewhere.tokens.refresh_token,
    });
    expect(decodeJwt((await answer<Tokens>(refreshed)).access_token).user_metadata).toMatchObject({
      platformPreferences: { ...defaults, colorScheme: "light", language: "fr" },
    });
  });

  it("reports changes of language and region only, which the event's user block shows", async () => {
    const { call, company, id } = await newMember();
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

  it("lets any token read preferences and only a writable token change them", async () => {
    const user = await newMember();
    const writer = callerWith(user.env, await createPatFor(user));
    const reader = callerWith(user.env, await createPatFor(user, { readOnly: true }));
    expect(await answer(await writer("PUT", path, { language: "fr" }))).toMatchObject({ language: "fr" });
    expect(await answer(await reader("GET", path))).toMatchObject({ language: "fr" });
    expect(await refusal(await reader("PUT", path, { language: "en" }))).toEqual([403, "pat_read_only"]);
    expect(await refusal(await reader("DELETE", path))).toEqual([403, "pat_read_only"]);
    expect((await writer("DELETE", path)).status).toBe(204);
  });

  it("keeps every part of 50 parallel changes", async () => {
    const { call } = await newMember();
    const bodies = Array.from({ length: 50 }, (_, i) =>
      [{ themeName: "Night" }, { language: "fr" }, { region: "Asia/Tokyo" }, { colorScheme: "dark" }].at(i % 4),
    );
    await Promise.all(bodies.map((body) => call("PUT", path, body)));
    expect(await answer(await call("GET", path))).toEqual({
      themeName: "Night",
      language: "fr",
      region: "Asia/Tokyo",
      colorScheme: "dark",
    });
  });

  it("requires a bearer token", async () => {
    const { env } = await newMember();
    expect(await refusal(await callIdentity(env, path))).toEqual([401, "unauthorized"]);
    expect(await refusal(await callIdentity(env, path, { ...json({}), method: "PUT" }))).toEqual([401, "unauthorized"]);
  });
});

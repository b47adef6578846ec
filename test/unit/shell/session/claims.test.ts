import { describe, expect, test } from "vitest";
import { readClaims, readTokens } from "../../../../shell/client/src/session/adapters/claims.ts";
import { mergePreferences } from "../../../../shell/client/src/session/preferences.ts";
import { parseRecord } from "../../../../shell/client/src/session/tabs/record.ts";
import { tokenOf } from "./tokens.ts";

describe("an access token", () => {
  test("identifies its user", () => {
    const token = tokenOf({
      sub: "7",
      email: "mina@example.com",
      company_id: 3,
      is_staff: false,
      app_metadata: { provider: "google" },
      user_metadata: {
        name: "M",
        full_name: "Mina Ågren",
        avatar_url: "https://a.example/m.png",
        is_company_owner: true,
        groups: ["a", 4],
        platformPreferences: { themeName: "sea", language: "fr", region: "", colorScheme: "blue" },
      },
    });
    expect(readClaims(token)).toEqual({
      user: {
        id: "7",
        email: "mina@example.com",
        name: "Mina Ågren",
        avatarUrl: "https://a.example/m.png",
        provider: "google",
        groups: ["a"],
        isStaff: false,
        isCompanyOwner: true,
        companyId: 3,
      },
      preferences: { themeName: "sea", language: "fr" },
    });
  });

  test("shows both ends of a wallet's account as the user's name, unless it contains a name", () => {
    const address = `0x${"12ab".repeat(10)}`;
    const nameOf = (overrides: object) => readClaims(tokenOf({ sub: "7", user_metadata: overrides })).user.name;
    expect(nameOf({ custom_claims: { address } })).toBe("0x12ab…12ab");
    expect(nameOf({ custom_claims: { address }, full_name: "Mina" })).toBe("Mina");
    expect(nameOf({ custom_claims: { address: "anything" } })).toBe("");
  });

  test("may identify the user by user_id, and must identify one", () => {
    expect(readClaims(tokenOf({ user_id: 12 })).user).toMatchObject({ id: "12", companyId: null, name: "" });
    for (const token of ["", "a.b.c", tokenOf({}), tokenOf([])])
      expect(() => readClaims(token)).toThrow("token_invalid");
  });
});

describe("received tokens", () => {
  test("may contain numbers or strings, and must contain an access token and a refresh token", () => {
    const pair = { access_token: "a", refresh_token: "r" };
    expect(readTokens({ ...pair, expires_in: "300" })).toEqual({ accessToken: "a", refreshToken: "r", expiresIn: 300 });
    expect(readTokens({ ...pair, expires_at: Date.now() / 1000 + 50 }).expiresIn).toBeCloseTo(50, 0);
    expect(readTokens(pair).expiresIn).toBe(60);
    expect(() => readTokens({ access_token: "a" })).toThrow("auth_code_invalid");
    expect(() => readTokens(null)).toThrow("auth_code_invalid");
  });
});

describe("preferences at a sign-in", () => {
  test("use the account's choices before its defaults, and send the missing ones", () => {
    const account = { themeName: "sea", language: "en", region: "UTC", colorScheme: "system" } as const;
    const local = { themeName: "moss", language: "fr", colorScheme: "dark" } as const;
    expect(mergePreferences(account, local)).toEqual({
      apply: { themeName: "sea" },
      send: { language: "fr", colorScheme: "dark" },
    });
    expect(mergePreferences({}, {})).toEqual({ apply: {}, send: {} });
  });
});

describe("a stored record", () => {
  const owner = { backend: "https://id.example", companyId: 1 };
  const good = { v: 1, generation: 4, refreshToken: "prt_1", ...owner, user: { id: "7" } };

  test("is read unchanged", () => {
    expect(parseRecord(JSON.stringify(good), owner)).toEqual(good);
    expect(parseRecord(JSON.stringify({ ...good, refreshToken: null, user: null }), owner)?.refreshToken).toBeNull();
  });

  test.each([
    ["null", null],
    ["invalid JSON", "{"],
    ["another version", { ...good, v: 2 }],
    ["another service", { ...good, backend: "https://other.example" }],
    ["another company", { ...good, companyId: 2 }],
    ["a generation that is not a number", { ...good, generation: "4" }],
    ["a refresh token that is not a string", { ...good, refreshToken: 4 }],
  ])("is ignored: %s", (_, record) => {
    expect(parseRecord(typeof record === "string" ? record : JSON.stringify(record), owner)).toBeNull();
  });
});

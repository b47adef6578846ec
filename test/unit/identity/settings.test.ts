import { describe, expect, it } from "vitest";
import type { IdentityBindings } from "../../../workers/identity/bindings";
import { settingsOf } from "../../../workers/identity/settings";
import { testVarsOf } from "../../support/settings";

const identityTestVars = testVarsOf("identity");

const day = 86_400_000;
const read = (vars: Record<string, string | undefined> = {}) =>
  settingsOf({ ...identityTestVars, ...vars } as unknown as IdentityBindings);

/** The bindings that a deployment requires. */
const broker = { BROKER: {}, SERVICE_QUEUE: {}, WEBHOOKS_QUEUE: {} } as unknown as Record<string, string>;

/** Unsets the variables that the test configuration sets. */
const bare = Object.fromEntries(
  Object.keys(identityTestVars)
    .filter((name) => /^(?:MAGIC|OAUTH|AUTH_RATE|EMAIL)/.test(name))
    .map((name) => [name, undefined]),
);

describe("settings of identity", () => {
  it("have the documented defaults", () => {
    expect(read(bare)).toMatchObject({
      audience: "platform",
      previousPublicKeyPem: "",
      previousSecretKey: "",
      accessTokenMs: 300_000,
      refreshIdleMs: 7 * day,
      sessionAbsoluteMs: 90 * day,
      refreshGraceMs: 30_000,
      patMs: 30 * day,
      tokenDelivery: "code",
      authCodeMs: 120_000,
      magicLinkEnabled: true,
      magicLinkMs: 1_800_000,
      signInCode: true,
      emailServiceUrl: null,
      emailServiceKey: "",
      emailTimeoutMs: 5000,
      accountDeleteMaxAuthAgeMs: 300_000,
      eventRetentionDays: 7,
      corsAllowedOrigins: [],
      rates: {
        magicLink: { limit: 10, windowMs: 60_000 },
        magicLinkCompany: { limit: 10, windowMs: 60_000 },
        magicLinkEmail: { limit: 120, windowMs: 3_600_000 },
        verify: { limit: 120, windowMs: 60_000 },
        oauth: { limit: 120, windowMs: 60_000 },
        refresh: { limit: 300, windowMs: 60_000 },
        settings: { limit: 300, windowMs: 60_000 },
        pat: { limit: 60, windowMs: 60_000 },
      },
    });
    expect(read({ DEBUG: undefined, ...broker, JWT_ISSUER: "https://id.example" }).debug).toBe(false);
  });

  it.each([
    ["JWT_ACCESS_TOKEN_LIFETIME", ["60", "1h", "0.5h"], ["59s", "61m", "0", "5 m", "-1"]],
    ["REFRESH_GRACE_SECONDS", ["0", "300"], ["-1", "301", "1.5"]],
    ["OAUTH_SESSION_CODE_TTL_SECONDS", ["30", "600"], ["29", "601"]],
    ["MAGIC_LINK_TTL_SECONDS", ["60", "86400"], ["59", "86401", "30m"]],
    ["OAUTH_TOKEN_DELIVERY", ["code", "fragment"], ["Code", "query"]],
    ["PERSONAL_ACCESS_TOKEN_LIFETIME", ["30d", "1.5h", "90"], ["0d", "1w", "d"]],
    ["JWT_REFRESH_TOKEN_LIFETIME", ["7d"], ["0"]],
    ["SESSION_ABSOLUTE_LIFETIME", ["90d"], ["never"]],
    ["SECRET_KEY", ["x".repeat(32)], ["x".repeat(31)]],
    ["SECRET_KEY_PREVIOUS", ["", "é".repeat(16)], ["é".repeat(15)]],
    [
      "JWT_ISSUER",
      ["http://localhost:8787/identity", "https://id.example"],
      ["https://id.example/", "https://id.example?a", "x"],
    ],
    ["EMAIL_SERVICE_URL", ["", "https://email.example"], ["ftp://email.example"]],
    ["AUTH_RATE_LIMIT_MAGIC_LINK", ["1/s", "5/h", "off"], ["0/min", "10/m", "10"]],
    ["MAGIC_LINK_ENABLED", ["true", "false"], ["maybe"]],
    ["EVENT_LOG_RETENTION_DAYS", ["1", "365"], ["0", "x"]],
    ["ACCOUNT_DELETE_MAX_AUTH_AGE", ["5m"], ["0"]],
  ])("accept for %s the values %j, and reject %j with the name of the setting", (name, good, bad) => {
    for (const value of good) expect(() => read({ [name]: value })).not.toThrow();
    for (const value of bad) expect(() => read({ [name]: value }), value).toThrow(`invalid setting: ${name},`);
  });

  it.each(["JWT_ISSUER", "JWT_PRIVATE_KEY", "SECRET_KEY"])("require %s", (name) => {
    expect(() => read({ [name]: undefined })).toThrow(`invalid setting: ${name},`);
  });

  it("require https and active rate limits outside DEBUG", () => {
    const deployed = { DEBUG: "false", ...broker, JWT_ISSUER: "https://id.example" };
    expect(read(deployed).issuer).toBe("https://id.example");
    expect(() => read({ ...deployed, JWT_ISSUER: "http://id.example" })).toThrow("invalid setting: JWT_ISSUER,");
    expect(() => read({ ...deployed, AUTH_RATE_LIMIT_OAUTH: "off" })).toThrow(
      "invalid setting: AUTH_RATE_LIMIT_OAUTH,",
    );
  });

  it("read PEM with line breaks or \\n, with and without quotes", () => {
    const pem = identityTestVars.JWT_PRIVATE_KEY ?? "";
    const oneLine = pem.trim().replaceAll("\n", "\\n");
    for (const text of [pem, oneLine, `"${oneLine}"`, `'${oneLine}'`])
      expect(read({ JWT_PRIVATE_KEY: text }).privateKeyPem.trim()).toBe(pem.trim());
  });

  it("use the limit per address as the default for the limit per user", () => {
    const userLimit = (vars: Record<string, string>) => read(vars).rates.magicLinkUser;
    expect(userLimit({ AUTH_RATE_LIMIT_MAGIC_LINK: "4/min" })).toEqual({ limit: 4, windowMs: 60_000 });
    const perUser = { AUTH_RATE_LIMIT_MAGIC_LINK: "4/min", AUTH_RATE_LIMIT_MAGIC_LINK_PERSON: "5/10min" };
    expect(userLimit(perUser)).toEqual({ limit: 5, windowMs: 600_000 });
  });

  it("use the limit per address as the default for the limit per company", () => {
    const limit = (vars: Record<string, string>) => read(vars).rates.magicLinkCompany?.limit;
    expect(limit({ AUTH_RATE_LIMIT_MAGIC_LINK: "4/min" })).toBe(4);
    expect(limit({ AUTH_RATE_LIMIT_MAGIC_LINK: "4/min", AUTH_RATE_LIMIT_MAGIC_LINK_COMPANY: "600/min" })).toBe(600);
  });
});

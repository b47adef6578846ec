import { describe, expect, test } from "vitest";
import { readCliRequest } from "../../../../shell/client/src/login/cli-request.ts";
import { formatMinutes, textKeyOf } from "../../../../shell/client/src/login/errors.ts";
import {
  findCode,
  formatLifetime,
  groupedCode,
  isAddress,
  plainCode,
  sentLink,
} from "../../../../shell/client/src/login/link/pending-link.ts";
import { providerName } from "../../../../shell/client/src/login/provider-names.ts";
import type { LiveSettings } from "../../../../shell/client/src/session/adapters/adapter.ts";
import { readSettings as readPlatform } from "../../../../shell/client/src/session/adapters/platform.ts";
import { readSettings as readProject } from "../../../../shell/client/src/session/adapters/supabase.ts";
import { readCallback, withoutParameter } from "../../../../shell/client/src/session/callback.ts";
import { offeredMethods } from "../../../../shell/client/src/session/methods/catalog.ts";
import { callbackAddress } from "../../../../shell/client/src/session/pkce.ts";
import { sha256 } from "../../../../shell/client/src/session/sha256.ts";

const live = (settings: Partial<LiveSettings> = {}): LiveSettings => ({
  methods: ["magic_link", "oauth"],
  providers: ["google", "github"],
  signInCode: true,
  linkSeconds: null,
  ...settings,
});
type Backend = Parameters<typeof offeredMethods>[0];
const platform = (login?: Backend["login"]): Backend => ({ type: "platform", ...(login && { login }) });
const offered = (backend: Backend, settings = live(), last: string | null = null) =>
  Object.fromEntries(offeredMethods(backend, settings, last).map(({ method, options }) => [method, options]));

describe("sign-in methods", () => {
  test("default to the email link, and to providers when they are configured", () => {
    expect(offered(platform())).toEqual({ magic_link: ["link"] });
    expect(offered(platform({ oauthProviders: ["github"] })).oauth).toEqual(["github"]);
  });

  test("are those that are both configured and enabled by the service", () => {
    expect(offered(platform({ methods: ["oauth"] }))).toEqual({ oauth: ["github", "google"] });
    const linkOnly = live({ methods: ["magic_link"] });
    expect(offered(platform({ methods: ["password", "web3", "oauth"] }), linkOnly)).toEqual({});
    expect(offered(platform({ methods: [] }))).toEqual({});
    expect(offered(platform(), live({ methods: ["unknown"] }))).toEqual({});
    expect(offered(platform({ methods: ["oauth"] }), live({ providers: [] }))).toEqual({});
  });

  test("keep the configured order of providers after the last used one", () => {
    const login = { oauthProviders: ["google", "apple", "github"] };
    expect(offered(platform(login)).oauth).toEqual(["google", "github"]);
    expect(offered(platform(login), live(), "github").oauth).toEqual(["github", "google"]);
  });

  test("merge two names of a provider, and send the name that the service uses", () => {
    const login = { oauthProviders: ["x", "twitter", "facebook", "linkedin"] };
    const settings = live({ providers: ["twitter", "meta", "linkedin_oidc"] });
    expect(offered(platform(login), settings).oauth).toEqual(["twitter", "meta", "linkedin_oidc"]);
  });

  test("offer a wallet for a GoTrue project only", () => {
    const settings = live({ methods: ["web3"] });
    expect(offered({ type: "supabase", login: { methods: ["web3"] } }, settings)).toEqual({ web3: ["web3"] });
    expect(offered(platform({ methods: ["web3"] }), settings)).toEqual({});
  });

  test("have names for their providers", () => {
    expect(["github", "google", "linkedin_oidc", "my_provider", "oidc-acme", "oidc"].map(providerName)).toEqual([
      "GitHub",
      "Google",
      "LinkedIn",
      "My Provider",
      "Acme",
      null,
    ]);
  });
});

describe("live settings", () => {
  test("are read from `methods` of the platform, or else from its flags", () => {
    expect(
      readPlatform({ methods: ["magic_link", "passkey"], oauthProviders: ["google", 4], sign_in_code: true }),
    ).toEqual({
      methods: ["magic_link", "passkey"],
      providers: ["google"],
      signInCode: true,
      linkSeconds: null,
    });
    expect(readPlatform({ magic_link_ttl_seconds: "soon" }).linkSeconds).toBeNull();
    expect(readPlatform({ enable_magic_link: true, enable_oauth: true }).methods).toEqual(["magic_link", "oauth"]);
    expect(readPlatform("nonsense")).toEqual({ methods: [], providers: [], signInCode: false, linkSeconds: null });
  });

  test("are read from `external` of a GoTrue project", () => {
    expect(
      readProject({ external: { email: true, phone: true, github: true, google: false, web3_ethereum: true } }),
    ).toEqual({
      methods: ["magic_link", "oauth", "web3"],
      providers: ["github"],
      signInCode: true,
      linkSeconds: null,
    });
  });
});

describe("a callback address", () => {
  const origin = "https://shell.example";
  const at = (search: string, hash = "") => ({ origin, pathname: "/login/callback", search, hash });

  test("is stripped of its code and keeps every other byte", () => {
    const callback = readCallback(at("?next=%2Fa+b&platform_auth_code=abc&x"), "platform");
    expect(callback).toEqual({ code: "abc", next: "/a b", redirectTo: `${origin}/login/callback?next=%2Fa+b&x` });
    expect(withoutParameter("?platform_auth_code=1", "platform_auth_code")).toBe("");
    expect(readCallback(at("?code=abc"), "platform").code).toBeUndefined();
    expect(readCallback(at("?code=abc&state=s"), "supabase")).toMatchObject({ code: "abc", state: "s" });
  });

  test("needs an access token and a refresh token in a fragment", () => {
    const both = "#access_token=a&refresh_token=r&expires_in=300&provider=magic_link";
    expect(readCallback(at("", both), "platform").tokens).toEqual({
      accessToken: "a",
      refreshToken: "r",
      expiresIn: 300,
    });
    expect(readCallback(at("", "#access_token=a"), "platform").tokens).toBeUndefined();
  });

  test("provides only the code of an error", () => {
    const error = (search: string, hash = "", type: "platform" | "supabase" = "platform") =>
      readCallback(at(search, hash), type).error;
    expect(error("?platform_oauth_error=Call+us&platform_oauth_error_code=access_pending")).toBe("access_pending");
    expect(error("?platform_oauth_error_code=<b>x</b>")).toBe("oauth_failed");
    expect(error("?platform_oauth_error=x")).toBe("oauth_failed");
    expect(error("?error=access_denied")).toBeUndefined();
    expect(error("?error=access_denied", "", "supabase")).toBe("oauth_provider_denied");
    expect(error("", "#error=access_denied&error_code=otp_expired&error_description=x", "supabase")).toBe(
      "magic_link_invalid",
    );
    const both = "error=server_error&error_code=unexpected_failure&error_description=x";
    expect(error(`?state=s&${both}`, `#${both}&sb=`, "supabase")).toBe("service_unavailable");
    expect(error("?error=<b>x</b>", "", "supabase")).toBe("oauth_failed");
  });

  test("omits `next` when it would be too long", () => {
    expect(callbackAddress(origin, "/")).toBe(`${origin}/login/callback`);
    expect(callbackAddress(origin, "/a?b=1", "s")).toBe(`${origin}/login/callback?state=s&next=%2Fa%3Fb%3D1`);
    expect(callbackAddress(origin, `/${"é".repeat(400)}`, "s")).toBe(`${origin}/login/callback?state=s`);
  });
});

describe("a pending link", () => {
  test("may be requested again after 60, 120 and then 240 s, and immediately for another address", () => {
    const first = sentLink("a@example.com", null, 0);
    const second = sentLink("a@example.com", first, 0);
    const third = sentLink("a@example.com", second, 0);
    const waits = [first, second, third, sentLink("a@example.com", third, 0), sentLink("b@example.com", third, 0)];
    expect(waits.map(({ resendAt }) => resendAt / 1000)).toEqual([60, 120, 240, 240, 60]);
    expect(formatMinutes(119.4)).toBe("1:59");
  });

  test("names its lifetime in minutes or whole hours", () => {
    const format = (seconds: number, language: string) => formatLifetime(seconds, language).replace(/\s/g, " ");
    expect([format(1800, "en"), format(1800, "fr")]).toEqual(["30 minutes", "30 minutes"]);
    expect([format(3600, "en"), format(7200, "fr")]).toEqual(["60 minutes", "2 heures"]);
  });

  test("accepts a code in any spelling", () => {
    for (const typed of ["BCDF-2345", "bcdf 2345", " b c d f-2-3 45 ", "ＢＣＤＦ2345bcdf".slice(4)])
      expect(plainCode(typed).endsWith("2345") || plainCode(typed) === "2345BCDF").toBe(true);
    expect(groupedCode("BCDF2345")).toBe("BCDF-2345");
    expect(groupedCode("BCDF")).toBe("BCDF");
    for (const pasted of [
      "bcdf-2345",
      " BCDF 2345\n",
      "Your code is BCDF-2345, thanks",
      "Code :\u00a0bcdf2345".slice(7),
    ])
      expect(findCode(pasted, 8), pasted).toBe("BCDF2345");
    for (const other of ["BCDF-23456", "password", "", "https://x.test/"]) expect(findCode(other, 8), other).toBeNull();
    expect([findCode("123456", 6), findCode("thanks", 6)]).toEqual(["123456", null]);
  });

  test("accepts email addresses with an @ and a domain", () => {
    expect(["a@b.co", " a@b.co ", "a+b@c.d.example"].map(isAddress)).toEqual([true, true, true]);
    expect(["", "a", "a@b", "a b@c.co", "@c.co", "a@c.", "a@@c.co"].map(isAddress)).not.toContain(true);
  });
});

test("has texts for every sign-in error", () => {
  const textKey = (code: string, status = 400) => textKeyOf({ code, status });
  expect(textKey("code_verifier_invalid")).toBe("auth_code_invalid");
  expect(textKey("oauth_id_token_invalid")).toBe("oauth");
  expect(textKey("whatever", 403)).toBe("forbidden");
  expect(textKey("internal_error", 500)).toBe("service_unavailable");
  expect(textKey("whatever")).toBe("other");
});

describe("a command line request", () => {
  const challenge = "a".repeat(43);
  const read = (redirect: string, proof = challenge) =>
    readCliRequest(`?${new URLSearchParams({ platform_cli_redirect: redirect, code_challenge: proof })}`);

  test("is accepted for a redirect to this machine", () => {
    for (const host of ["127.0.0.1:4000", "localhost:1", "[::1]:80"])
      expect(read(`http://${host}/callback?state=s`)).toEqual({
        redirectTo: `http://${host}/callback?state=s`,
        challenge,
      });
  });

  test.each([
    "https://127.0.0.1/",
    "http://127.0.0.1.evil.example/",
    "http://evil.example/",
    "http://localhost.evil.example",
    "http://user@127.0.0.1/",
    "javascript:alert(1)",
    "//127.0.0.1/",
    "http://127.0.0.2/",
    "",
    "http://[::2]/",
  ])("is rejected for %s", (redirect) => {
    expect(read(redirect)).toBeNull();
  });

  test("must contain a challenge", () => {
    expect(read("http://127.0.0.1:1/", "short")).toBeNull();
    expect(readCliRequest("?platform_cli_redirect=http://127.0.0.1/")).toBeNull();
  });
});

test("computes SHA-256 without crypto.subtle", async () => {
  for (const text of ["", "abc", "a".repeat(55), "a".repeat(56), "a".repeat(64), "é".repeat(500)]) {
    const bytes = new TextEncoder().encode(text);
    expect(sha256(bytes)).toEqual(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  }
});

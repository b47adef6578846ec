import { describe, expect, it } from "vitest";
import {
  isRedirectAllowed,
  parseRedirect,
  redirectKey,
  requireRedirect,
} from "../../../workers/identity/company/redirects/redirect-target";
import {
  chooseDelivery,
  codeLocation,
  errorLocation,
  fragmentLocation,
} from "../../../workers/identity/sign-in/completion/delivery";

const target = (text: string) => requireRedirect(text);

describe("redirect targets", () => {
  it.each([
    ["https://APP.example.com:443/a/../b?q=1#part", "https://app.example.com/b?q=1"],
    ["http://localhost:5173/cb", "http://localhost:5173/cb"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["http://[::1]:3000", "http://[::1]:3000/"],
    [`https://a.example/${"x".repeat(2030)}`, `https://a.example/${"x".repeat(2030)}`],
  ])("parses %s as %s, without its fragment", (text, href) => {
    expect(parseRedirect(text)?.href).toBe(href);
  });

  it.each([
    "",
    "/login",
    "//app.example.com/",
    "javascript:alert(1)",
    "ftp://app.example.com/",
    "https://",
    "https:app.example.com",
    "https://user@app.example.com/",
    "https://user:pass@app.example.com/",
    "https://app.example.com\\@evil.example/",
    "https://app.example.com/\u0000",
    "https://app.example.com/\n",
    "https://app.example.com/a\tb",
    "https://app.example.com/\u007f",
    "https://app.example.com/\u0085",
    "https://app.example.com:99999/",
    `https://a.example/${"x".repeat(2031)}`,
  ])("rejects %j", (text) => {
    expect(parseRedirect(text)).toBeNull();
  });

  it.each(["http://localhost/", "https://localhost:1/x", "http://127.0.0.1:9/", "http://[::1]/", "http://[0:0::1]/"])(
    "always allows %s",
    (text) => {
      expect(isRedirectAllowed(target(text), false, false)).toBe(true);
    },
  );

  it.each([
    "http://localhost.example.com/",
    "http://app.localhost/",
    "http://127.0.0.2/",
    "http://[::ffff:127.0.0.1]/",
    "https://app.example.com/",
  ])("allows %s only when it is listed, and over http only in DEBUG", (text) => {
    const url = target(text);
    expect(isRedirectAllowed(url, false, true)).toBe(false);
    expect(isRedirectAllowed(url, true, true)).toBe(true);
    expect(isRedirectAllowed(url, true, false)).toBe(url.protocol === "https:");
  });

  it("when a code is redeemed, compares scheme, host, port, path and the ordered, decoded query", () => {
    const key = (text: string) => redirectKey(target(text));
    expect(key("https://a.example/cb?x=%61+b&y=1")).toBe(key("https://A.example:443/cb?x=a%20b&y=1#f"));
    for (const other of ["https://a.example/cb?y=1&x=a+b", "https://a.example/cb/", "http://a.example/cb?x=a+b&y=1"])
      expect(key(other)).not.toBe(key("https://a.example/cb?x=a+b&y=1"));
  });
});

describe("delivery of a sign-in", () => {
  it("follows the setting unless the request asks for a code, and always uses a code if there is a challenge", () => {
    expect(chooseDelivery(undefined, undefined, "code")).toBe("code");
    expect(chooseDelivery(undefined, undefined, "fragment")).toBe("fragment");
    expect(chooseDelivery("code", undefined, "fragment")).toBe("code");
    expect(chooseDelivery("fragment", undefined, "fragment")).toBe("fragment");
    expect(chooseDelivery("fragment", "challenge", "fragment")).toBe("code");
    expect(() => chooseDelivery("fragment", undefined, "code")).toThrow("validation_failed");
  });

  it("keeps the query unchanged, but removes the platform's parameters of an earlier sign-in", () => {
    expect(codeLocation(target("https://a.example/cb?x=a%20b&&y"), "C")).toBe(
      "https://a.example/cb?x=a%20b&&y&platform_auth_code=C",
    );
    const old = "platform_auth_code=1&platform_oauth_error=2&platform_oauth_error_code=3";
    expect(codeLocation(target(`https://a.example/cb?${old}&x=1`), "C")).toBe(
      "https://a.example/cb?x=1&platform_auth_code=C",
    );
    expect(errorLocation(target(`https://a.example/cb?${old}`), "access_denied", "No & no")).toBe(
      "https://a.example/cb?platform_oauth_error=No+%26+no&platform_oauth_error_code=access_denied",
    );
  });

  it("truncates the error message at 500 characters, and adds no fragment", () => {
    const location = new URL(errorLocation(target("https://a.example/cb#x"), "access_denied", "s".repeat(600)));
    expect([location.searchParams.get("platform_oauth_error")?.length, location.hash]).toEqual([500, ""]);
  });

  it("writes the fields of the fragment in a fixed order, form-encoded", () => {
    const payload = { access_token: "a.b", refresh_token: "prt_x", provider: "oidc-a b" };
    const fields = { ...payload, token_type: "bearer" as const, expires_in: 300, expires_at: 1_800_000_000 };
    expect(fragmentLocation(target("https://a.example/cb?x=1&platform_auth_code=old"), fields)).toBe(
      "https://a.example/cb?x=1#access_token=a.b&refresh_token=prt_x&token_type=bearer&expires_at=1800000000&expires_in=300&provider=oidc-a+b",
    );
  });
});

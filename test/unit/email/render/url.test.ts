import { describe, expect, it } from "vitest";
import { urlValueProblem } from "../../../../workers/email/content/tokens/url-value";

const plain = { authLane: false, authLinkHosts: ["app.example.com"], debug: false };
const auth = { ...plain, authLane: true, authLinkHosts: ["app.example.com", "id.example.com:8443", "::1"] };

describe("URL values outside the auth lane", () => {
  it.each(["https://anywhere.test/a?b=c#d", "mailto:mina@example.com", "tel:+41445550100", "HTTPS://X.TEST/"])(
    "accepts %s",
    (value) => expect(urlValueProblem(value, plain)).toBeNull(),
  );

  it.each([
    ["ftp://x.test/", "scheme_not_allowed"],
    ["javascript:alert(1)", "scheme_not_allowed"],
    ["data:text/html,x", "scheme_not_allowed"],
    ["http://x.test/", "scheme_not_allowed"],
    ["http://localhost/", "scheme_not_allowed"],
    ["x.test/path", "invalid"],
    ["", "invalid"],
    ["https:x.test", "invalid"],
    ["https:///x.test", "invalid"],
    ["https://user@x.test/", "invalid"],
    ["https://@x.test/", "invalid"],
    ["https://x.test/a b", "invalid"],
    ["https://x.test/\r\nBcc: a@b.test", "invalid"],
    ["https://x.test\\@y.test/", "invalid"],
    ["mailto:", "invalid"],
    ["https://x.test/\ud800", "invalid"],
    [`https://x.test/${"a".repeat(2048)}`, "invalid"],
  ])("rejects %j as %s", (value, problem) => expect(urlValueProblem(value, plain)).toBe(problem));

  it("accepts http on loopback only in debug mode", () => {
    expect(urlValueProblem("http://localhost:8787/x", { ...plain, debug: true })).toBeNull();
    expect(urlValueProblem("http://127.0.0.1/x", { ...auth, debug: true })).toBeNull();
    expect(urlValueProblem("http://shop.localhost:8787/x", { ...plain, debug: true })).toBeNull();
    expect(urlValueProblem("http://localhost.evil.test/", { ...plain, debug: true })).toBe("scheme_not_allowed");
  });
});

describe("URL values on the auth lane", () => {
  it.each([
    "https://app.example.com/x",
    "https://APP.example.com:9000/x",
    "https://id.example.com:8443/",
    "https://[::1]/",
  ])("accepts the listed host of %s", (value) => expect(urlValueProblem(value, auth)).toBeNull());

  it.each([
    ["https://evil.test/", "host_not_allowed"],
    ["https://app.example.com.evil.test/", "host_not_allowed"],
    ["https://app.example.com./", "host_not_allowed"],
    ["https://id.example.com/", "host_not_allowed"],
    ["https://id.example.com:8444/", "host_not_allowed"],
    ["mailto:a@app.example.com", "scheme_not_allowed"],
    ["tel:+1", "scheme_not_allowed"],
    ["https://app.example.com@evil.test/", "invalid"],
  ])("rejects %s as %s", (value, problem) => expect(urlValueProblem(value, auth)).toBe(problem));

  it("treats the default port of https as explicit", () => {
    expect(urlValueProblem("https://a.test/", { ...auth, authLinkHosts: ["a.test:443"] })).toBeNull();
  });
});

import { describe, expect, test } from "vitest";
import { isRootRelative, loginAddress, safeNext } from "../../../shell/client/src/router/next.ts";

const origin = "https://shell.example";

describe("the `next` parameter", () => {
  test.each(["/docs", "/docs/a?x=1#y", "/a%2Fb", "/?q=//evil", "/loginx", "/docs/login", "/%E2%82%AC"])(
    "accepts %s",
    (next) => {
      expect(safeNext(next, origin)).toBe(next);
    },
  );

  test.each([
    "",
    "docs",
    "?x",
    "#x",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\\/evil.example",
    "https://evil.example",
    "HTTPS://evil.example",
    "http:evil.example",
    "https:/evil.example",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "blob:https://shell.example/1",
    "file:///etc/passwd",
    "mailto:a@b.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/docs\r\nx",
    "\t//evil.example",
    " //evil.example",
    " /docs",
    "/docs\u0000",
    "/docs\u007f",
    "/login",
    "/login/",
    "/login?next=/x",
    "/login/callback",
    "/LOGIN",
    "/%6cogin",
    "/%6c%6f%67%69%6e",
    "/./login",
    "/a/../login",
    "/.//evil.example",
    "/a/..//evil.example",
    "/%5c%5cevil.example/../..//evil.example",
    "/login%2fcallback",
    "@evil.example",
    `/${"a".repeat(1500)}`,
    "/%2e%2e//evil.example",
  ])("rejects %j", (next) => {
    expect(safeNext(next, origin)).toBe("/");
  });

  test("falls back to the start page when it is missing or not a string", () => {
    expect(safeNext(null, origin)).toBe("/");
    expect(safeNext(undefined, origin)).toBe("/");
  });

  test("is kept across the redirects of a sign-in", () => {
    const here = "/docs/a?x=1&next=/y#z";
    const next = new URL(loginAddress(here), origin).searchParams.get("next");
    expect(safeNext(next, origin)).toBe(here);
    expect(loginAddress("/")).toBe("/login");
  });
});

test("accepts a root-relative address only with exactly one leading slash", () => {
  expect(isRootRelative("/a")).toBe(true);
  for (const other of ["", "a", "//a", "/\\a", "/\u0001"]) expect(isRootRelative(other)).toBe(false);
});

import { describe, expect, test } from "vitest";
import {
  type Embedded,
  frameAddress,
  isSameAddress,
  partsOf,
  shellAddress,
} from "../../../shell/client/src/frames/address.ts";

const shell = "https://shell.example";
const item = (url: string, useHashRouter = url.includes("#")): Embedded => ({ path: "docs", url, useHashRouter });
const cases: [string, Embedded, string, string, string, string, string][] = [
  // name, item, rest, search, hash, frame, shell
  ["the item itself", item("https://app.example/"), "", "", "", "https://app.example/", "/docs"],
  [
    "a path below the item",
    item("https://app.example"),
    "a/b",
    "?x=1",
    "#y",
    "https://app.example/a/b?x=1#y",
    "/docs/a/b?x=1#y",
  ],
  ["a base path", item("https://app.example/base/"), "a", "", "", "https://app.example/base/a", "/docs/a"],
  [
    "a query in the item's URL",
    item("https://app.example/?t=1"),
    "a",
    "?x=2",
    "",
    "https://app.example/a?t=1&x=2",
    "/docs/a?x=2",
  ],
  [
    "a hash router",
    item("https://app.example/#/"),
    "a/b",
    "?x=1",
    "",
    "https://app.example/#/a/b?x=1",
    "/docs/a/b?x=1",
  ],
  [
    "a hash router below a path",
    item("https://app.example/x#/in"),
    "a",
    "",
    "",
    "https://app.example/x#/in/a",
    "/docs/a",
  ],
  ["a root-relative URL", item("/apps/docs"), "a", "", "", "https://shell.example/apps/docs/a", "/docs/a"],
];

describe("addresses of an application and of the shell", () => {
  test.each(cases)("map to each other: %s", (_name, embedded, subPath, search, hash, inFrame, inShell) => {
    expect(frameAddress(embedded, subPath, search, hash, shell)).toBe(inFrame);
    expect(shellAddress(embedded, partsOf(inFrame), shell)).toBe(inShell);
  });

  test("have no path before that of a root item", () => {
    const root = { ...item("https://app.example"), path: "" };
    expect(shellAddress(root, partsOf("https://app.example/orders/7"), shell)).toBe("/orders/7");
    expect(shellAddress(root, partsOf("https://app.example"), shell)).toBe("/");
  });

  test.each(["/other", "/basement", "/", "/bas"])("are ignored outside of the item's path: %s", (pathname) => {
    expect(shellAddress(item("https://app.example/base"), { pathname, search: "", hash: "" }, shell)).toBeUndefined();
  });

  test.each(["/base/../x", "/base/%2e%2e/x", "/base/a/.%2E/b"])("may not contain parent segments: %s", (pathname) => {
    expect(shellAddress(item("https://app.example/base"), { pathname, search: "", hash: "" }, shell)).toBeUndefined();
  });

  test("never contain a host below a root item", () => {
    const root = { ...item("https://app.example"), path: "" };
    for (const pathname of ["//evil.example", "///evil.example/x", "/a//evil.example"])
      expect(shellAddress(root, { pathname, search: "", hash: "" }, shell)).toMatch(/^\/[^/\\]/);
  });

  test("map to each other with a hash router only on the item's own page", () => {
    const embedded = item("https://app.example/x#/");
    expect(shellAddress(embedded, { pathname: "/y", search: "", hash: "#/a" }, shell)).toBeUndefined();
    expect(shellAddress(embedded, { pathname: "/x", search: "?ignored", hash: "#/a" }, shell)).toBe("/docs/a");
  });

  test("start at the item when the shell's address contains parent segments", () => {
    expect(frameAddress(item("https://app.example/base"), "../x", "", "", shell)).toBe("https://app.example/base");
  });
});

test("treats a trailing slash and an empty fragment as the same address", () => {
  expect(isSameAddress("https://a.example/x/", "https://a.example/x")).toBe(true);
  expect(isSameAddress("https://a.example/#/", "https://a.example/")).toBe(true);
  expect(isSameAddress("https://a.example/x", "https://a.example/x?y")).toBe(false);
});

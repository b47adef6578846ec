import { describe, expect, test } from "vitest";
import { framesToEvict } from "../../../shell/client/src/frames/eviction.ts";
import {
  isTrustedAs,
  levelOfItem,
  levelOfOverlay,
  overlayTarget,
  permissionsOf,
  resolveUrl,
  sandboxOf,
} from "../../../shell/client/src/frames/trust.ts";
import { pageConfig, pageItem } from "./page-config.ts";

const shell = "https://shell.example";

describe("the level of a frame", () => {
  test("is none unless its item allows more", () => {
    expect(levelOfItem(pageItem({ path: "a" }))).toBe("none");
    expect(levelOfItem(pageItem({ path: "a", shareUser: true }))).toBe("user");
    expect(levelOfItem(pageItem({ path: "a", safeForAuthToken: true }))).toBe("token");
    expect(isTrustedAs("token", "user")).toBe(true);
    expect(isTrustedAs("none", "user")).toBe(false);
  });

  test("is inherited only by an overlay on the opener's origin", () => {
    const opener = { origin: "https://app.example", level: "token" as const };
    expect(levelOfOverlay(opener, "https://app.example/x")).toBe("token");
    for (const url of [
      "https://app.example:8443/x",
      "http://app.example/x",
      "https://app.example.evil.example/",
      "https://evil.example/app.example",
    ])
      expect(levelOfOverlay(opener, url)).toBe("none");
  });
});

describe("an overlay", () => {
  const config = pageConfig({
    navigation: [pageItem({ path: "a", url: "https://app.example/x" })],
    backend: { type: "platform", url: "https://id.example", adminUrl: "https://admin.example" },
    storage: { url: "https://files.example", filesUrl: "https://explorer.example", showInSettings: true },
    security: { frameOrigins: ["https://more.example"], connectOrigins: [], strictFrames: false },
  });
  const target = (url: string, mode: "development" | "production" = "production") =>
    overlayTarget(url, config, shell, mode);

  test.each([
    "https://app.example/other",
    "/files/page.html",
    "https://admin.example/#/x",
    "https://files.example",
    "https://explorer.example",
    "https://more.example/y",
  ])("shows %s", (url) => {
    expect(target(url).kind).toBe("frame");
  });

  test("shows built-in views directly, never in a frame", () => {
    expect(target("/__settings/appearance")).toEqual({ kind: "view", path: "/__settings/appearance" });
    expect(target(`${shell}/legal/privacy-policy`).kind).toBe("view");
    expect(target("/__anything").kind).toBe("view");
    expect(target("/").kind).toBe("view");
  });

  test.each([
    "https://evil.example",
    "https://id.example",
    "http://app.example",
    "https://app.example:444",
    "//app.example",
    "/\\app.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "https://user:pass@app.example",
    "https://app.example@evil.example",
    "ftp://app.example",
    "app.example",
    "",
    "\thttps://app.example",
    "blob:https://app.example/1",
    "https://app.example.evil.example",
    "about:blank",
    "http://localhost:5173",
  ])("rejects %j", (url) => {
    expect(target(url)).toEqual({ kind: "refused" });
  });

  test("shows loopback addresses while a development server runs", () => {
    expect(target("http://localhost:5173/x", "development").kind).toBe("frame");
    expect(target("http://127.0.0.1:5173", "development").kind).toBe("frame");
    expect(target("http://localhost.evil.example", "development").kind).toBe("refused");
    expect(target("http://127.0.0.1.evil.example", "development").kind).toBe("refused");
  });
});

test("rejects addresses with credentials or other schemes", () => {
  expect(resolveUrl("/a", shell)?.href).toBe(`${shell}/a`);
  expect(resolveUrl("https://u@a.example", shell)).toBeUndefined();
});

test("never lets a sandboxed frame navigate the top page", () => {
  const all = sandboxOf("token", ["allow-modals", "allow-popups-to-escape-sandbox"]).split(" ");
  expect(all.filter((token) => token.includes("top-navigation"))).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
  expect(sandboxOf("none")).not.toContain("escape");
});

test("grants permissions to the frame's own origin only", () => {
  expect(permissionsOf("https://app.example", ["camera"])).toBe(
    "fullscreen https://app.example; clipboard-write https://app.example; camera https://app.example",
  );
});

describe("kept-alive frames", () => {
  const frames = [
    { id: "old", visible: false, lastShownAt: 1 },
    { id: "seen", visible: true, lastShownAt: 0 },
    { id: "new", visible: false, lastShownAt: 3 },
    { id: "middle", visible: false, lastShownAt: 2 },
  ];

  test("are evicted in least-recently-used order, but never while visible", () => {
    expect(framesToEvict(frames, 2).map(({ id }) => id)).toEqual(["old"]);
    expect(framesToEvict(frames, 0).map(({ id }) => id)).toEqual(["new", "middle", "old"]);
    expect(framesToEvict(frames, 5)).toEqual([]);
  });
});

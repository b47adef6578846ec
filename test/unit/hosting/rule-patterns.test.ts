import { describe, expect, it } from "vitest";
import { compilePattern, matchPattern } from "../../../workers/hosting/rules/pattern";

function capturesOf(pattern: string, pathname: string, hostname = "app.example.com"): Record<string, string> | null {
  const compiled = compilePattern(pattern);
  if (typeof compiled === "string") throw new Error(`${pattern}: ${compiled}`);
  const captures = matchPattern(compiled, { hostname, pathname });
  return captures === null ? null : Object.fromEntries(captures);
}

/** Matches as Cloudflare documents it, with a regular expression that can backtrack. The pattern has no special characters. */
function matchWithRegExp(pattern: string, pathname: string): Record<string, string> | null {
  const source = pattern.replace("*", "(?<splat>.*)").replace(/:([a-z]\w*)/giu, "(?<$1>[^/]+)");
  const match = new RegExp(`^${source}$`, "u").exec(pathname);
  return match === null ? null : { ...match.groups };
}

/** Returns a function that returns pseudo-random integers below a limit, always the same ones. */
function random(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * limit);
  };
}

describe("matchPattern", () => {
  it.each([
    ["/about", "/about", {}],
    ["/about", "/about/", null],
    ["/about", "/About", null],
    ["/blog/*", "/blog/2026/first", { splat: "2026/first" }],
    ["/blog/*", "/blog/", { splat: "" }],
    ["/blog/*", "/blog", null],
    ["/*", "/", { splat: "" }],
    ["/*.jpg", "/a/b.jpg", { splat: "a/b" }],
    ["/*/end", "/end", null],
    ["/*/end", "/a/end/end", { splat: "a/end" }],
    ["/movies/:title", "/movies/star", { title: "star" }],
    ["/movies/:title", "/movies/star/wars", null],
    ["/movies/:title", "/movies/", null],
    ["/news/:year/:month", "/news/2026/11", { year: "2026", month: "11" }],
    ["/:year-:month-:day.html", "/2026-11-28.html", { year: "2026", month: "11", day: "28" }],
    ["/:a-:b", "/1-2-3", { a: "1-2", b: "3" }],
    ["/:a:b", "/xyz", { a: "xy", b: "z" }],
    ["/:a:b", "/x", null],
    ["/x-:a*", "/x-one/two", { a: "one", splat: "/two" }],
  ])("%s on %s", (pattern, path, captures) => {
    expect(capturesOf(pattern, path)).toEqual(captures);
  });

  it("matches hosts of absolute patterns", () => {
    expect(capturesOf("https://:app.example.com/*", "/a", "shop.example.com")).toEqual({ app: "shop", splat: "a" });
    expect(capturesOf("https://:app.example.com/x", "/x", "a.b.example.com")).toBeNull();
    expect(capturesOf("https://APP.example.com", "/")).toEqual({});
    expect(capturesOf("https://*.example.com/x", "/x", "a.b.example.com")).toEqual({ splat: "a.b" });
  });

  it("rejects ambiguous patterns", () => {
    expect(compilePattern("/*/*")).toBe("splats");
    expect(compilePattern("/:a/:a")).toBe("placeholders");
    expect(compilePattern("/:splat/*")).toBe("placeholders");
    expect(compilePattern("https://example.com:8080/")).toBe("port");
  });

  it("matches like a regular expression", () => {
    const next = random(26);
    const parts = ["/", "a", "b", "-", ":x", ":y", ":z", "*", "ab"];
    let matches = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const pattern = `/${Array.from({ length: next(7) }, () => parts[next(parts.length)]).join("")}`;
      const path = `/${Array.from({ length: next(9) }, () => "ab-/"[next(4)]).join("")}`;
      if (typeof compilePattern(pattern) === "string") continue;
      const expected = matchWithRegExp(pattern, path);
      expect({ pattern, path, captures: capturesOf(pattern, path) }).toEqual({ pattern, path, captures: expected });
      if (expected !== null) matches += 1;
    }
    expect(matches).toBeGreaterThan(500);
  });

  it("takes linear time for paths that make regular expressions backtrack", () => {
    const names = Array.from({ length: 60 }, (_, index) => `:p${index}`);
    const pattern = compilePattern(`/${names.join("-")}!`);
    if (typeof pattern === "string") throw new Error(pattern);
    const startedAt = performance.now();
    for (let round = 0; round < 100; round += 1) {
      expect(matchPattern(pattern, { hostname: "", pathname: `/${"a-".repeat(4000)}` })).toBeNull();
    }
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

import { describe, expect, it } from "vitest";
import { applyHeaderRules, compileRules, findRedirect } from "../../../workers/hosting/rules/compiled-rules";
import { parseHeaders } from "../../../workers/hosting/rules/header-rules";
import { parseRedirects } from "../../../workers/hosting/rules/redirect-rules";

const lines = (...texts: string[]) => texts.join("\n");

describe("_headers", () => {
  const headersFor = (file: string, path: string, defaults: Record<string, string> = {}) => {
    const headers = new Headers(defaults);
    const rules = compileRules({ headers: parseHeaders(file).rules, redirects: [] });
    applyHeaderRules(rules, new URL(path, "https://shop.example.com"), headers);
    return Object.fromEntries(headers);
  };

  it("adds the headers of every matching rule and joins repeated ones", () => {
    const file = lines(
      "# comment",
      "/static/*",
      "  Access-Control-Allow-Origin: *",
      "  X-Robots-Tag: nosnippet",
      "",
      "https://shop.example.com/*",
      "\tX-Robots-Tag: noindex",
      "/other",
      "  X-Other: 1",
    );
    expect(headersFor(file, "/static/a.png")).toEqual({
      "access-control-allow-origin": "*",
      "x-robots-tag": "nosnippet, noindex",
    });
    expect(headersFor(file, "/")).toEqual({ "x-robots-tag": "noindex" });
  });

  it("replaces and removes default headers", () => {
    const defaults = { "cache-control": "public, max-age=0", "referrer-policy": "no-referrer" };
    const file = lines("/*", "  Cache-Control: public, max-age=60", "/a", "  ! referrer-policy");
    expect(headersFor(file, "/a", defaults)).toEqual({ "cache-control": "public, max-age=60" });
    expect(headersFor(file, "/b", defaults)).toEqual({ ...defaults, "cache-control": "public, max-age=60" });
  });

  it("keeps fixed values whatever the length of a path", () => {
    const filled = Array.from({ length: 5 }, (_, index) => `  X-${index}: :splat`);
    const headers = headersFor(
      lines("/*", ...filled, "  Content-Security-Policy: default-src 'self'"),
      `/${"a".repeat(8000)}`,
    );
    expect(Object.keys(headers)).toEqual(["content-security-policy", "x-0", "x-1", "x-2", "x-3"]);
  });

  it("removes the header of an earlier rule", () => {
    const file = lines("/*", "  Content-Security-Policy: default-src 'self'", "/*.jpg", "  ! Content-Security-Policy");
    expect(headersFor(file, "/a.jpg")).toEqual({});
    expect(headersFor(file, "/a.html")).toEqual({ "content-security-policy": "default-src 'self'" });
  });

  it("fills placeholders into values", () => {
    const file = lines("/movies/:title/*", '  X-Movie: You are at ":title" and ":splat", not :other');
    expect(headersFor(file, "/movies/star/wars/4")).toEqual({
      "x-movie": 'You are at "star" and "wars/4", not :other',
    });
  });

  it("matches paths with spaces and letters beyond ASCII", () => {
    expect(headersFor(lines("/café", "  X-A: 1"), "/café")).toEqual({ "x-a": "1" });
  });

  it("does not exceed the size of response headers that clients accept", () => {
    const file = lines("/*", ...Array.from({ length: 100 }, (_, index) => `  X-${index}: ${":splat".repeat(300)}`));
    const headers = headersFor(file, `/${"a".repeat(1000)}`);
    expect(Object.values(headers).join("").length).toBeLessThan(33_000);
  });

  it("reports each line that it ignores", () => {
    const file = lines(
      "X-Early: 1",
      "/a b",
      "  X-Skipped: 1",
      "/*/*",
      "/:a/:a",
      "http://example.com/",
      "https://example.com:8080/",
      "/empty",
      "/ok",
      "  No colon",
      "  : value",
      "  X Y: value",
      "  X-Empty:",
      "  X-Letters: café",
      "  Set-Cookie: a=1; Domain=example.com",
      "  Transfer-Encoding: chunked",
      "  CF-Ray: 1",
      "  ! ETag",
      "  !",
      `  X-Long: ${"a".repeat(2000)}`,
      "  X-Fine: 1",
    );
    const { rules, warnings } = parseHeaders(file);
    expect(rules).toEqual([{ path: "/ok", set: [["x-fine", "1"]], remove: [] }]);
    expect(warnings.map(({ line }) => line)).toEqual([1, 2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(warnings[12]).toEqual({
      file: "_headers",
      line: 15,
      text: "Set-Cookie: a=1; Domain=example.com",
      reason: "The platform does not let rules change `set-cookie`.",
    });
    expect(warnings.at(-1)?.text).toHaveLength(200);
  });

  it("accepts 100 rules and 2,000 characters a line", () => {
    const rule = (index: number) => [`/${index}`, `  X-A: ${"a".repeat(1995)}`];
    const file = lines(...Array.from({ length: 101 }, (_, index) => rule(index)).flat());
    const { rules, warnings } = parseHeaders(file);
    expect(rules).toHaveLength(100);
    expect(warnings).toEqual([
      { file: "_headers", line: 201, text: "/100", reason: "The file has more than 100 rules. The rest was ignored." },
    ]);
  });

  it("keeps at most 100 warnings", () => {
    const { warnings } = parseHeaders("no path\n".repeat(500));
    expect(warnings).toHaveLength(100);
    expect(warnings.at(-1)?.reason).toContain("Further warnings are left out.");
  });
});

describe("_redirects", () => {
  const redirectOf = (file: string, path: string) => {
    const rules = compileRules({ headers: [], redirects: parseRedirects(file).rules });
    return findRedirect(rules, new URL(`https://shop.example.com${path}`));
  };

  it.each([
    ["/home301 / 301", "/home301", 301, "/"],
    ["/home302 /", "/home302", 302, "/"],
    ["/query /q?a=1", "/query?b=2", 302, "/q?a=1"],
    ["/query /q", "/query?b=2", 302, "/q?b=2"],
    ["/fragment /q#part 307", "/fragment?b=2", 307, "/q?b=2#part"],
    ["/source#ignored /q 308", "/source", 308, "/q"],
    ["/away https://example.com/x 303", "/away", 303, "https://example.com/x"],
    ["/blog/* https://blog.example.com/:splat", "/blog/a/b", 302, "https://blog.example.com/a/b"],
    ["/products/:code/:name /p?code=:code&name=:name", "/products/1/tea", 302, "/p?code=1&name=tea"],
    ["/blog/* /news/:splat 200", "/blog/a?x=1", 200, "/news/a"],
    ["/caf%C3%A9 /x", "/café", 302, "/x"],
    ["/café /thé", "/caf%C3%A9", 302, "/th%C3%A9"],
  ])("%s on %s", (rule, path, status, location) => {
    expect(redirectOf(rule, path)).toEqual({ status, location });
  });

  it("applies the first rule in the order of the file", () => {
    const file = lines("/a/b /static", "/a/* /dynamic", "/a/c /late");
    expect(redirectOf(file, "/a/b")?.location).toBe("/static");
    expect(redirectOf(file, "/a/c")?.location).toBe("/dynamic");
    expect(redirectOf(file, "/a")).toBeNull();
  });

  it("stays on the host when a splat begins with slashes", () => {
    for (const path of ["/go//evil.example.com", "/go///evil.example.com", "/go/%5Cevil.example.com"]) {
      const location = redirectOf("/go/* /:splat", path)?.location ?? "";
      expect(new URL(location, "https://shop.example.com").host).toBe("shop.example.com");
    }
    expect(redirectOf("/go/* /:splat 200", "/go//x")).toEqual({ status: 200, location: "/x" });
  });

  it("does not send locations that clients reject", () => {
    expect(redirectOf("/go/* /:splat:splat:splat", `/go/${"a".repeat(4000)}`)).toBeNull();
  });

  it("reports each line that it ignores", () => {
    const file = lines(
      "/only",
      "/a /b 301 extra",
      "/a /b 418",
      "/a /b 0200",
      "relative /b",
      "//host /b",
      "/a?b=1 /b",
      "/a http://example.com",
      "/a //example.com",
      "/a https://:host.example.com/",
      "/a https://user@example.com/",
      "/a https://example.com/ 200",
      "/*/* /b",
      "/:x/:x /b",
      "/same /same",
      "/loop/* /loop/:splat/x",
      "/* /index.html 200",
      `/${"a".repeat(1000)} /b`,
      "/fine /b",
      "/fine /c",
    );
    const { rules, warnings } = parseRedirects(file);
    expect(rules).toEqual([{ from: "/fine", to: "/b", status: 302 }]);
    expect(warnings.map(({ line }) => line)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20,
    ]);
    expect(warnings[16]).toEqual({
      file: "_redirects",
      line: 17,
      text: "/* /index.html 200",
      reason: expect.stringContaining("would hide every file"),
    });
  });

  it("accepts 2,000 static and 100 dynamic rules", () => {
    const statics = Array.from({ length: 2001 }, (_, index) => `/s${index} /x`);
    const dynamics = Array.from({ length: 102 }, (_, index) => `/d${index}/* /x`);
    const { rules, warnings } = parseRedirects(lines(...statics, ...dynamics));
    expect(rules).toHaveLength(2100);
    expect(warnings.map(({ line, reason }) => [line, reason])).toEqual([
      [2001, "The file has more than 2000 static rules."],
      [2102, "The file has more than 100 dynamic rules. The rest was ignored."],
    ]);
  });
});

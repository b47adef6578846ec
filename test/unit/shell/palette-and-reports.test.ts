import { describe, expect, test } from "vitest";
import { rank, ranked } from "../../../shell/client/src/palette/rank.ts";
import { anonymous, reportRequest } from "../../../shell/client/src/reporting/report-request.ts";

describe("the palette", () => {
  test("ranks prefixes first, then words, then letters, and ignores accents", () => {
    expect(rank("Paramètres", "parame")).toBe(3);
    expect(rank("Cookie preferences", "pref")).toBe(2);
    expect(rank("Orders", "ods")).toBe(1);
    expect(rank("Orders", "xyz")).toBe(0);
    expect(
      ranked([{ text: "Reports" }, { text: "Orders" }, { text: "Open orders" }], "or").map(({ text }) => text),
    ).toEqual(["Orders", "Open orders", "Reports"]);
  });
});

describe("an error report", () => {
  const report = { message: "m", stack: "s", release: "1", route: "/docs", browser: "b" };

  test("contains no user, query or token", () => {
    const text = anonymous(
      "TypeError at https://a.example/x?token=1#y mina@example.com eyJhbGciOiJIUzI1NiJ9abcdef.eyJzdWIiOiIxIn0.c2ln",
    );
    expect(text).toBe("TypeError at https://a.example/x [address] [code]");
  });

  test.each([
    ["https://x.test/orders?at=10:30&customer=jane#sec is gone", "https://x.test/orders is gone"],
    ["/orders?customer=jane-doe#sec", "/orders"],
    ["/orders#jane?", "/orders"],
    ["f@https://x.test/a.js:1:2\n@https://x.test/b.js?v=1:3:4", "f@https://x.test/a.js:1:2\n@https://x.test/b.js:3:4"],
    ["https://x.test?q=f(x)&customer=jane", "https://x.test"],
    [
      "at a (https://x.test/a.js?v=1:10:5)\n    at https://x.test/b.js?v=2:7:1\nat c (https://x.test/c.js:3:4)",
      "at a (https://x.test/a.js:10:5)\n    at https://x.test/b.js:7:1\nat c (https://x.test/c.js:3:4)",
    ],
  ])("keeps the path of a URL, and line and column of a stack frame: %j", (text, expected) => {
    expect(anonymous(text)).toBe(expected);
  });

  test("is sent as JSON, or as an envelope when the address contains a key", () => {
    expect(reportRequest("https://errors.example/in", report)).toEqual({
      url: "https://errors.example/in",
      body: JSON.stringify(report),
    });
    const { url, body } = reportRequest("https://key@errors.example/sub/42", report);
    expect(url).toBe("https://errors.example/sub/api/42/envelope/?sentry_key=key&sentry_version=7");
    expect(body.split("\n")).toHaveLength(3);
  });
});

import { describe, expect, test } from "vitest";
import { rank, ranked } from "../../../shell/client/src/palette/rank.ts";
import { anonymous, reportRequest } from "../../../shell/client/src/reporting/report-request.ts";

describe("the palette", () => {
  test("finds beginnings before words before letters, without accents", () => {
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

  test("names no person, no query and no token", () => {
    const text = anonymous(
      "TypeError at https://a.example/x?token=1#y mina@example.com eyJhbGciOiJIUzI1NiJ9abcdef.eyJzdWIiOiIxIn0.c2ln",
    );
    expect(text).toBe("TypeError at https://a.example/x [address] [code]");
  });

  test("goes as JSON, or as an envelope where the address has a key", () => {
    expect(reportRequest("https://errors.example/in", report)).toEqual({
      url: "https://errors.example/in",
      body: JSON.stringify(report),
    });
    const { url, body } = reportRequest("https://key@errors.example/sub/42", report);
    expect(url).toBe("https://errors.example/sub/api/42/envelope/?sentry_key=key&sentry_version=7");
    expect(body.split("\n")).toHaveLength(3);
  });
});

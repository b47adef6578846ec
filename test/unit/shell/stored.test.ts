import { describe, expect, test } from "vitest";
import { consentedHosts, isAccepted, needsDecision, parseConsent } from "../../../shell/client/src/consent/consent.ts";
import { parseSettings } from "../../../shell/client/src/shell/settings.ts";

describe("settings of a browser", () => {
  test("keep valid values and ignore the others", () => {
    const text = JSON.stringify({
      v: 1,
      colorScheme: "dark",
      sidebarWidth: "wide",
      density: "tiny",
      layout: "windows",
      developerMode: true,
      recent: ["orders"],
      pinned: [1],
      groups: [],
      other: 1,
    });
    expect(parseSettings(text)).toEqual({ colorScheme: "dark", developerMode: true, recent: ["orders"] });
  });

  test.each([null, "", "{", "[]", "7", '"x"', '{"colorScheme":"dark"}', '{"v":2,"colorScheme":"dark"}'])(
    "are empty when they cannot be read: %s",
    (text) => {
      expect(parseSettings(text)).toEqual({});
    },
  );
});

describe("consent", () => {
  const cookie = (host: string, category: "strict_necessary" | "targeting") => ({
    name: host,
    host,
    durationSeconds: 1,
    category,
    type: "HTTP",
  });
  const config = {
    cookieConsent: { cookies: [cookie("own.example", "strict_necessary"), cookie("ads.example", "targeting")] },
  };
  const decided = {
    v: 1 as const,
    time: "2026-01-01T00:00:00Z",
    decided: ["own.example", "ads.example"],
    accepted: [],
  };

  test("is requested once, again for new hosts, and never for necessary cookies only", () => {
    expect(needsDecision(config, null)).toBe(true);
    expect(needsDecision(config, decided)).toBe(false);
    expect(
      needsDecision(
        { cookieConsent: { cookies: [...config.cookieConsent.cookies, cookie("new.example", "targeting")] } },
        decided,
      ),
    ).toBe(true);
    expect(needsDecision({ cookieConsent: { cookies: [cookie("own.example", "strict_necessary")] } }, null)).toBe(
      false,
    );
    expect(needsDecision({}, null)).toBe(false);
  });

  test("always allows necessary cookies, and all cookies without cookieConsent", () => {
    expect(consentedHosts(config, decided).acceptedHosts).toEqual(["own.example"]);
    expect(isAccepted(config, decided, "ads.example")).toBe(false);
    expect(isAccepted(config, { ...decided, accepted: ["ads.example"] }, "ads.example")).toBe(true);
    expect(isAccepted({}, null, "ads.example")).toBe(true);
    expect(isAccepted(config, decided, "unknown.example")).toBe(false);
  });

  test.each([null, "x", "{}", '{"v":1}', '{"v":1,"time":"","decided":[1],"accepted":[]}'])(
    "is not given when the stored value cannot be read: %s",
    (text) => {
      expect(parseConsent(text)).toBeNull();
    },
  );
});

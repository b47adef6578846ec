import { expect, test } from "vitest";
import { formatCookieLifetime } from "../../../shell/client/src/consent/cookie-lifetime.ts";

test.each([
  [30, "30 seconds", "30 secondes"],
  [600, "10 minutes", "10 minutes"],
  [3_600, "1 hour", "1 heure"],
  [5_400, "1.5 hours", "1,5 heure"],
  [86_400, "1 day", "1 jour"],
  [31_536_000, "365 days", "365 jours"],
])("formats a cookie lifetime of %i seconds", (seconds, english, french) => {
  const plain = (text: string) => text.replace(/\s/g, " ");
  expect(plain(formatCookieLifetime(seconds, "en"))).toBe(english);
  expect(plain(formatCookieLifetime(seconds, "fr"))).toBe(french);
});

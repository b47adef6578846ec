import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOG_EVENTS, type CatalogEvent } from "../../schemas/email/catalog";
import { EMAIL_LANGUAGES, type EmailLanguage } from "../../schemas/email/catalog-texts";
import { composeDefaultContent } from "../../workers/email/library/default-content";
import { substitute } from "../../workers/email/render/substitution";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";

const host = "identity.example.com";

/** Nothing in these gives a line a place to end. */
function longValue(token: string): string {
  if (token.endsWith("_url")) return `https://${host}/${"x".repeat(200)}`;
  return token === "sign_in_code" ? "BCDF-2345" : `${token.replaceAll("_", "")}${"x".repeat(80)}@example.com`;
}

function mail(event: CatalogEvent, language: EmailLanguage): string {
  const variables = Object.fromEntries(event.variables.map(({ token }) => [token, longValue(token)]));
  const result = substitute(composeDefaultContent(event, language), variables, {
    authLane: event.lane_class === "auth",
    authLinkHosts: [host],
    debug: false,
    system: { message_id: "msg_test", assets_url: "https://mail.test", unsubscribe_url: "https://mail.test/u/x" },
    urlTokens: event.variables.filter(({ type }) => type === "url").map(({ token }) => token),
  });
  if ("error" in result) throw new Error(result.token);
  return result.html;
}

describe.skipIf(!hasChromium)("a mail on the screen of a phone", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    if (!hasChromium) return;
    browser = await launchChromium();
    ({ page } = await openPage(browser));
    await page.setViewportSize({ width: 375, height: 700 });
  });
  afterAll(() => browser?.close());

  it("is no wider than the screen, however long a name, an address or a link is", async () => {
    const wide: string[] = [];
    for (const event of CATALOG_EVENTS) {
      for (const language of EMAIL_LANGUAGES) {
        await page.setContent(mail(event, language));
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        if (width > 375) wide.push(`${event.event_type} ${language}: ${width}`);
      }
    }
    expect(wide).toEqual([]);
  });
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOG_EVENTS, type CatalogEvent, findEvent } from "../../schemas/email/content/catalog";
import { EMAIL_LANGUAGES } from "../../schemas/email/content/catalog-texts";
import { composeDefaultContent } from "../../workers/email/content/library/default-content";
import { LIBRARY_DESIGNS } from "../../workers/email/content/library/designs/designs";
import { adaptedMail, designMail, fillMail, SAMPLE_BRANDING } from "../../workers/email/content/library/samples";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";

/** Returns a long value for a variable that contains no character at which a line can break. */
function longValue(token: string): string {
  if (token.endsWith("_url")) return `https://app.example.com/${"x".repeat(200)}`;
  return token === "sign_in_code" ? "BCDF-2345" : `${token.replaceAll("_", "")}${"x".repeat(80)}@example.com`;
}

const longValues = (event: CatalogEvent): Record<string, string> =>
  Object.fromEntries(event.variables.map(({ token }) => [token, longValue(token)]));

const branding = { ...SAMPLE_BRANDING, footer_text: `${"x".repeat(80)}@example.com` };

/** Yields the name and HTML of each mail; its values contain words that are longer than a line. */
function* mails(): Generator<[string, string]> {
  for (const event of CATALOG_EVENTS) {
    for (const language of EMAIL_LANGUAGES) {
      const options = { branding, variables: longValues(event) };
      const { html } = fillMail(composeDefaultContent(event, language), event, language, options);
      yield [`${event.event_type} ${language}`, html];
    }
  }
  const events = ["identity.auth.magic_link.requested", "hosting.deployment.failed"].flatMap(
    (type) => findEvent(type) ?? [],
  );
  for (const design of LIBRARY_DESIGNS) {
    yield [design.key, designMail(design, { branding, variables: { company_name: "x".repeat(80) } }).html];
    for (const event of events) {
      const { html } = adaptedMail(design, event, "fr", { branding, variables: longValues(event) });
      yield [`${design.key} ${event.event_type}`, html];
    }
  }
}

describe.skipIf(!hasChromium)("a mail on a phone", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    if (!hasChromium) return;
    browser = await launchChromium();
    ({ page } = await openPage(browser));
    await page.setViewportSize({ width: 375, height: 700 });
  });
  afterAll(() => browser?.close());

  it("is no wider than the screen with a long name, address or link", async () => {
    const wide: string[] = [];
    for (const [name, html] of mails()) {
      await page.setContent(html);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 375) wide.push(`${name}: ${width}`);
    }
    expect(wide).toEqual([]);
  });
});

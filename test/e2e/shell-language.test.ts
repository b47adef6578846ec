import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { findingsOf } from "../support/shell/axe.ts";
import { fakeBackendUrl, routeBackend } from "../support/shell/fake-identity.ts";
import { openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const openLogin = (context: TestContext, config: object = {}) =>
  openShell(
    context,
    browser,
    { backend: { type: "platform", url: fakeBackendUrl, companyId: 1 }, ...config },
    { path: "/login", viewport: { width: 375, height: 700 }, bypassCSP: true, prepare: routeBackend },
  );

describe.skipIf(!hasChromium)("the language of the sign-in", () => {
  it("can be chosen by keyboard on a phone before a sign-in, and is then stored and used for the email", async (context) => {
    const { page, errors } = await openLogin(context);
    await page.getByLabel("Email address").waitFor();
    // The focus starts at the heading; the language select comes before it.
    await page.locator("h1:focus").waitFor();
    await page.keyboard.press("Shift+Tab");
    const choice = page.getByRole("combobox", { name: "Language" });
    expect(await choice.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await choice.locator("option").allTextContents()).toEqual(["English", "Français"]);
    await page.getByLabel("Email address").fill("mina@example.com");
    await choice.focus();
    // Resolves with the page's `lang`, by which screen readers choose their voice, when its heading turns French.
    const langAtChange = page.evaluate(
      () =>
        new Promise((resolve) => {
          const observer = new MutationObserver(() => {
            if (document.querySelector("h1")?.textContent === "Se connecter à Aster")
              resolve(document.documentElement.lang);
          });
          observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        }),
    );
    await page.keyboard.press("ArrowDown");
    expect(await langAtChange).toBe("fr");
    // The change of language keeps the typed text and the focus.
    expect(await page.getByRole("textbox").inputValue()).toBe("mina@example.com");
    expect(await page.getByRole("combobox", { name: "Langue" }).evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
    expect(await findingsOf(page)).toEqual([]);
    const request = page.waitForRequest((one) => one.url().endsWith("/magic-link/request"));
    await page.getByRole("textbox").press("Enter");
    expect((await request).postDataJSON()).toMatchObject({ language: "fr" });
    const inboxHeading = page.getByRole("heading", { name: "Consultez votre messagerie" });
    // The tab remembers the sent mail once the response is there.
    await inboxHeading.waitFor();
    await page.reload();
    await inboxHeading.waitFor();
    expect(await page.evaluate(() => localStorage.getItem("platform:settings"))).toContain('"language":"fr"');
    expect(errors).toEqual([]);
  });

  it("can be one that the configuration adds; nothing can be chosen when there is only one language", async (context) => {
    const messages = { de: { "login.title": "Bei {title} anmelden" } };
    const { page } = await openLogin(context, { language: ["en", "fr", "de"], messages });
    await page.getByRole("combobox", { name: "Language" }).selectOption("Deutsch");
    await page.getByRole("heading", { name: "Bei Aster anmelden" }).waitFor();
    const { page: other } = await openLogin(context, { language: ["fr"] });
    await other.getByRole("heading", { name: "Se connecter à Aster" }).waitFor();
    expect(await other.getByRole("combobox").count()).toBe(0);
  });
});

describe.skipIf(!hasChromium)("a right-to-left page", () => {
  it("truncates Latin titles at their end beside Arabic titles", async (context) => {
    const title = "Aster International Holdings of the Northern Hemisphere";
    const navigation = [
      { label: `Orders of ${title}`, path: "orders", url: "/__welcome" },
      { label: "طلبات", path: "arabic", url: "/__welcome" },
    ];
    const arabic = { language: ["ar"], messages: { ar: { "nav.where": "المكان" } } };
    const { page } = await openShell(context, browser, { title, navigation, ...arabic }, { path: "/orders" });
    await page.locator('html[dir="rtl"]').waitFor();
    const directionsOf = (selector: string) =>
      page.locator(selector).evaluateAll((elements) => elements.map((element) => getComputedStyle(element).direction));
    expect(await directionsOf(".sidebar-nav .nav-link .nav-text")).toEqual(["ltr", "rtl"]);
    await page.locator(".sidebar-nav .nav-link").first().hover();
    await page.locator(`.nav-link[title="Orders of ${title}"]`).waitFor();
    expect(new Set(await directionsOf(".brand-name, .crumbs li > :last-child"))).toEqual(new Set(["ltr"]));
    // A short name stays at the side where a line begins.
    const current = page.locator(".crumbs li > :last-child").last();
    expect(await current.evaluate((element) => getComputedStyle(element).textAlign)).toBe("right");
  });
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import type { Cleanup } from "../support/cli/project.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { serveApplication } from "../support/shell/application.ts";
import { fakeBackendUrl, routeBackend } from "../support/shell/fake-identity.ts";
import { openOnce, openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const config = {
  navigation: [
    { label: "Home", path: "home", url: "/__welcome" },
    { label: "Settings", path: "settings", url: "/__settings", position: "end" },
  ],
  backend: { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["magic_link"] } },
  cookieConsent: {
    cookies: [{ name: "_a", host: "stats.example", durationSeconds: 86_400, category: "targeting", type: "HTTP" }],
  },
  legalDocuments: { privacyPolicy: "# Privacy", termsOfService: "# Terms" },
};

async function openIn(context: Cleanup, locale: string) {
  const { page, origin } = await openShell(context, browser, config, { path: "/home", prepare: routeBackend, locale });
  /** Opens a page with the consent banner, as in a new browser with these settings. */
  return async (path: string, width: number, height: number, settings: object = {}) => {
    await page.evaluate(
      (text) => {
        localStorage.clear();
        sessionStorage.clear();
        localStorage.setItem("platform:settings", text);
      },
      JSON.stringify({ v: 1, ...settings }),
    );
    await page.setViewportSize({ width, height });
    await page.goto(origin + path);
    await page.locator(".consent").waitFor();
    await page.locator("h1:visible").first().waitFor();
    return page;
  };
}
const shared = openOnce((context) => openIn(context, "en-GB"));

/** Returns the elements that match a selector and have a corner that the banner covers. */
const coveredOf = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((elements) =>
    elements
      .filter((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const corners = [left + 3, right - 3].flatMap((x) => [top + 3, bottom - 3].map((y) => [x, y] as const));
        return corners.some(([x, y]) => document.elementFromPoint(x, y)?.closest(".consent"));
      })
      .map((element) => element.textContent),
  );

describe.skipIf(!hasChromium)("the consent banner", () => {
  it.for([
    [768, {}],
    [1440, {}],
    [768, { sidebarWidth: 480 }],
    [768, { sidebarCollapsed: true }],
  ] as const)("covers no part of a sidebar: %i px, %o", async ([width, settings]) => {
    const open = await shared();
    const page = await open("/home", width, 800, settings);
    expect(await page.locator(".sidebar-foot :is(a, button)").count()).toBe(2);
    expect(await coveredOf(page, ".sidebar-foot :is(a, button)")).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });

  it.for([
    ["sidebar", 768],
    ["app-bar", 1440],
    ["fullscreen", 1024],
  ] as const)(
    "covers no part of an application, whose frame ends above it: %s at %i px",
    async ([layout, width], context) => {
      const application = await serveApplication(context);
      const navigation = [{ label: "Orders", path: "orders", url: `${application}/app` }];
      const { page } = await openShell(
        context,
        browser,
        { ...config, layout, navigation, backend: undefined },
        { path: "/orders", viewport: { width, height: 700 } },
      );
      const frame = page.locator(".frame-room iframe");
      const endOfFrame = () => frame.evaluate((element) => element.getBoundingClientRect().bottom);
      const question = page.locator(".consent");
      await question.waitFor();
      const top = await question.evaluate((element) => element.getBoundingClientRect().top);
      await expect.poll(endOfFrame).toBeLessThanOrEqual(top);
      expect(await endOfFrame()).toBeGreaterThan(300);
      await question.getByRole("button", { name: "Reject", exact: true }).click();
      await question.waitFor({ state: "detached" });
      await expect.poll(endOfFrame).toBeGreaterThan(top);
    },
  );

  it.for([
    ["/login", 320, 600],
    ["/login", 320, 256],
    ["/settings/appearance", 320, 600],
    ["/settings/appearance", 1024, 600],
  ] as const)("covers no element that the keyboard reaches: %s at %i x %i", async ([path, width, height]) => {
    const open = await shared();
    const page = await open(path, width, height);
    const inside = path === "/login" ? ".login" : ".content";
    const controls = page.locator(`${inside} :is(a, button, input, select)`);
    await expect.poll(() => controls.count()).toBeGreaterThan(3);
    await controls.first().focus();
    const covered: string[] = [];
    for (let index = 0; index < (await controls.count()); index += 1) {
      const coveredElement = await page.evaluate((region) => {
        const element = document.activeElement;
        if (element?.closest(region) === null || element === null) return null;
        const { left, right, bottom } = element.getBoundingClientRect();
        const topElement = document.elementFromPoint((left + right) / 2, bottom - 1);
        return topElement?.closest(".consent") || bottom > innerHeight ? element.outerHTML.slice(0, 120) : null;
      }, inside);
      if (coveredElement !== null) covered.push(coveredElement);
      await page.keyboard.press("Tab");
    }
    expect(covered).toEqual([]);
  });

  it("covers no part of a sign-in that has room beside it, and shows all of its own buttons at one height", async (context) => {
    const open = await openIn(context, "fr-FR");
    const page = await open("/login", 1024, 720);
    const controls = ".login :is(a, button, input)";
    await expect.poll(() => page.locator(controls).count()).toBeGreaterThan(3);
    expect(await coveredOf(page, controls)).toEqual([]);
    const heights = page
      .locator(".consent-actions button")
      .evaluateAll((elements) => elements.map((element) => element.clientHeight));
    expect(new Set(await heights).size).toBe(1);
  });

  it("leaves the last control of a page reachable above the banner on phones", async () => {
    const open = await shared();
    const page = await open("/login", 320, 600);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const bottom = await page
      .locator(".login footer a")
      .last()
      .evaluate((link) => link.getBoundingClientRect().bottom);
    expect(bottom).toBeLessThanOrEqual((await page.locator(".consent").boundingBox())?.y ?? 0);
    await page.getByRole("button", { name: "Close and reject" }).click();
    await page.locator(".consent").waitFor({ state: "detached" });
    expect(await page.locator(".login-side").evaluate((side) => getComputedStyle(side).paddingBottom)).toBe("0px");
  });
});

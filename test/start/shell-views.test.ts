import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { readShellFiles } from "../../cli/page/shell-files.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { startServer } from "../support/cli/server.ts";
import { ACTION_TIMEOUT_MS, hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { findingsOf } from "../support/shell/axe.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const item = (label: string, path: string, overrides = {}) => ({ label, path, url: "/__welcome", ...overrides });
const config = {
  title: "Aster",
  navigation: [
    item("Home", "home"),
    {
      title: "Team",
      items: [
        item("A label that is longer than the room it has in any navigation", "long"),
        item("Staff", "staff", { requiresStaff: true, hidden: true }),
      ],
    },
    item("Settings", "settings", { url: "/__settings", position: "end" }),
  ],
  themes: [
    {
      name: "forest",
      colors: { light: { primary: "#14532d" }, dark: { primary: "#86efac", primaryForeground: "#052e16" } },
    },
  ],
  cookieConsent: {
    cookies: [{ name: "_a", host: "stats.example", durationSeconds: 86_400, category: "targeting", type: "HTTP" }],
  },
  legalDocuments: {
    privacyPolicy:
      "# Privacy\n\nWe keep **little**.\n\n## What\n\n- [more](/legal)\n- <script>window.hacked = 1</script>",
  },
};

async function serveShell(context: TestContext, overrides: object = {}) {
  const root = makeProject(context, {
    "platform.config.json": JSON.stringify({ ...config, ...overrides }),
  });
  const { port } = await startServer(context, root, { shell: await readShellFiles({}) });
  return `http://localhost:${port}`;
}

async function openAs(
  context: TestContext,
  options: Parameters<Browser["newContext"]>[0],
  settings: object = {},
): Promise<Page> {
  const browserContext = await browser.newContext({
    locale: "en-GB",
    reducedMotion: "reduce",
    bypassCSP: true,
    ...options,
  });
  browserContext.setDefaultTimeout(ACTION_TIMEOUT_MS);
  context.onTestFinished(() => browserContext.close());
  const text = JSON.stringify({ v: 1, ...settings });
  await browserContext.addInitScript((stored) => {
    if (localStorage.getItem("platform:settings") === null) localStorage.setItem("platform:settings", stored);
  }, text);
  return browserContext.newPage();
}

const widthOf = (page: Page) => page.locator(".sidebar").evaluate((element) => element.getBoundingClientRect().width);

// The English views in the sidebar layout are screens of shell-accessibility.test.ts.
const views = ["/home", "/legal/privacy-policy", "/settings/appearance", "/settings/developer"];

describe.skipIf(!hasChromium)("views of the shell", () => {
  it.for([
    ["sidebar", 1440, "light", "en-GB"],
    ["sidebar", 375, "dark", "fr-FR"],
    ["app-bar", 768, "light", "fr-FR"],
    ["fullscreen", 320, "dark", "en-GB"],
  ] as const)("have no axe violations: %s, %i px, %s, %s", async ([layout, width, colorScheme, locale], context) => {
    const origin = await serveShell(context, { layout });
    const page = await openAs(
      context,
      { viewport: { width, height: 800 }, colorScheme, locale },
      { developerMode: true },
    );
    for (const view of views) {
      await page.goto(origin + view);
      await page.locator("h1:visible").first().waitFor();
      expect([view, await findingsOf(page)]).toEqual([view, []]);
    }
    expect(await page.evaluate(() => document.documentElement.lang)).toBe(locale.slice(0, 2));
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  });

  it("are usable by keyboard: skip link, palette with the focus on the opened heading, and sidebar width", async (context) => {
    const origin = await serveShell(context, { cookieConsent: undefined });
    const page = await openAs(context, { viewport: { width: 1440, height: 800 } });
    await page.goto(`${origin}/home`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    expect(await focused()).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.type("appear");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Appearance" }).waitFor();
    await expect.poll(focused).toBe("Appearance and language");
    expect(await page.title()).toBe("Appearance and language - Aster");
    await page.getByRole("separator", { name: "Width of the sidebar" }).focus();
    await page.keyboard.press("End");
    await expect.poll(() => widthOf(page)).toBe(480);
    await page.keyboard.press("Control+b");
    await expect.poll(() => widthOf(page)).toBeLessThan(64);
  });

  it("set the title of the page", async (context) => {
    const origin = await serveShell(context, { cookieConsent: undefined });
    const page = await openAs(context, {});
    for (const [path, title] of [
      ["/legal", "Legal"],
      ["/legal/privacy-policy", "Privacy policy"],
      ["/legal/terms-of-service", "Page not found"],
      ["/__settings", "Settings"],
      ["/__settings/data-privacy", "Data and privacy"],
      ["/settings/appearance", "Appearance and language"],
      ["/__settings/language-and-region", "Appearance and language"],
      ["/__settings/nothing", "Page not found"],
      ["/nothing", "Page not found"],
    ] as const) {
      await page.goto(origin + path);
      await page.locator("h1:visible").first().waitFor();
      expect([path, await page.title()]).toEqual([path, `${title} - Aster`]);
    }
  });

  it("have tools in the fullscreen layout, which stay hidden over an application until they receive focus", async (context) => {
    const shell = await serveShell(context, {
      layout: "fullscreen",
      cookieConsent: undefined,
      navigation: [...config.navigation, item("Framed", "framed", { url: "/panel.html" })],
    });
    const page = await openAs(context, { viewport: { width: 375, height: 700 } });
    await page.goto(`${shell}/settings/appearance`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("combobox", { name: "Search" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Aster" }).click();
    await page.getByRole("heading", { name: "Welcome to Aster" }).waitFor();
    await page.goto(`${shell}/framed`);
    await page.locator(".frame-room iframe").waitFor();
    const tools = page.locator(".full-tools");
    expect(await tools.evaluate((element) => getComputedStyle(element).opacity)).toBe("0");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await expect.poll(() => tools.evaluate((element) => getComputedStyle(element).opacity)).toBe("1");
  });

  it("mark the More button of the bottom bar as current when they belong to its list", async (context) => {
    const many = ["one", "two", "three", "four", "five"].map((name) => item(name, name));
    const shell = await serveShell(context, {
      navigation: [...many, item("Settings", "settings", { url: "/__settings" })],
    });
    const page = await openAs(context, { viewport: { width: 375, height: 700 } });
    await page.goto(`${shell}/one`);
    const moreButton = page.getByRole("button", { name: "More", exact: true });
    await moreButton.waitFor();
    expect(await moreButton.getAttribute("aria-current")).toBeNull();
    await page.goto(`${shell}/settings/appearance`);
    await page.getByRole("heading", { name: "Appearance", level: 1 }).waitFor();
    expect(await moreButton.getAttribute("aria-current")).toBe("true");
  });

  it("keep chosen colours from the first paint on", async (context) => {
    const origin = await serveShell(context);
    const page = await openAs(context, { viewport: { width: 1440, height: 800 }, colorScheme: "light" });
    await page.goto(`${origin}/settings/appearance`);
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await page.getByRole("radio", { name: "forest" }).check({ force: true });
    const colors: string[] = [];
    await page.exposeFunction("recordColor", (value: string) => colors.push(value));
    await page.addInitScript(() => {
      const record = () => {
        const { scheme } = document.documentElement.dataset;
        const primary = document.documentElement.style.getPropertyValue("--primary");
        (window as unknown as { recordColor: (value: string) => void }).recordColor(`${scheme} ${primary}`);
        requestAnimationFrame(record);
      };
      requestAnimationFrame(record);
    });
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Appearance" }).waitFor();
    await expect.poll(() => colors.length).toBeGreaterThan(3);
    expect([...new Set(colors.filter((value) => !value.startsWith("undefined")))]).toEqual(["dark #86efac"]);
  });

  it("ask for consent once, with equal buttons, and treat closing as rejection", async (context) => {
    const origin = await serveShell(context);
    const page = await openAs(context, { viewport: { width: 375, height: 700 } });
    await page.goto(`${origin}/home`);
    const question = page.getByRole("region", { name: "Cookie preferences" });
    await question.waitFor();
    const buttons = await question
      .locator(".button")
      .evaluateAll((elements) => elements.map((element) => [element.className, (element as HTMLElement).offsetWidth]));
    expect(new Set(buttons.map((button) => button.join())).size).toBe(1);
    await question.getByRole("button", { name: "Close and reject" }).click();
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await question.count()).toBe(0);
    const stored = await page.evaluate(
      () => JSON.parse(localStorage.getItem("platform:consent") ?? "null") as { accepted: string[]; decided: string[] },
    );
    expect(stored).toMatchObject({ accepted: [], decided: ["stats.example"] });
  });

  it("mark states with borders when forced colours are active", async (context) => {
    const origin = await serveShell(context, {
      cookieConsent: undefined,
      navigation: [
        item("Home", "home", { icon: "/icons/home.svg" }),
        item("Settings", "settings", { url: "/__settings" }),
      ],
    });
    const page = await openAs(context, { viewport: { width: 1440, height: 800 }, forcedColors: "active" });
    await page.goto(`${origin}/settings/appearance`);
    await page.getByRole("heading", { level: 1, name: "Appearance" }).waitFor();
    const look = (selector: string, part?: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, pseudo) => {
          const { outlineStyle, backgroundColor } = getComputedStyle(element, pseudo);
          return { line: outlineStyle, ground: backgroundColor };
        }, part);
    for (const list of [".sidebar", ".settings-list"]) {
      expect((await look(`${list} .nav-link[aria-current]`)).line, list).not.toBe("none");
      expect((await look(`${list} .nav-link:not([aria-current])`)).line, list).toBe("none");
    }
    expect((await look(".theme :checked + .swatch")).line).not.toBe("none");
    expect((await look(".theme :not(:checked) + .swatch")).line).toBe("none");
    const { ground } = await look("body");
    expect((await look(".nav-mask")).ground).not.toBe(ground);
    await page.getByRole("separator", { name: "Width of the sidebar" }).focus();
    await page.keyboard.press("Shift");
    expect((await look(".resizer", "::after")).ground).not.toBe(ground);

    await page.goto(`${origin}/settings/advanced`);
    await page.getByRole("switch", { name: "Developer mode" }).waitFor();
    for (const state of [":not(:checked)", ":checked"]) {
      const thumb = await look(`.switch${state}`, "::after");
      expect(thumb.ground, state).not.toBe((await look(`.switch${state}`)).ground);
    }
    expect(await findingsOf(page)).toEqual([]);
  });

  it("delete all data of the shell in the browser on request, and no other data", async (context) => {
    const origin = await serveShell(context, { cookieConsent: undefined });
    const page = await openAs(context, { viewport: { width: 1440, height: 800 } });
    await page.goto(`${origin}/settings/advanced`);
    await page.getByRole("switch", { name: "Developer mode" }).check();
    await page.evaluate(async () => {
      localStorage.setItem("platform:device", "d");
      localStorage.setItem("other", "o");
      sessionStorage.setItem("platform:pending-link", "{}");
      await (await caches.open("pages")).put("/kept", new Response("kept"));
    });
    const stored = () =>
      page.evaluate(async () => ({
        keys: [...Object.keys(localStorage), ...Object.keys(sessionStorage)].toSorted(),
        caches: await caches.keys(),
        workers: (await navigator.serviceWorker.getRegistrations()).length,
      }));
    await page.getByRole("button", { name: "Remove local data" }).click();
    const question = page.getByRole("dialog", { name: "Remove local data?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    expect((await stored()).keys).toContain("platform:device");
    await page.getByRole("button", { name: "Remove local data" }).click();
    await question.getByRole("button", { name: "Remove local data" }).click();
    await page.waitForURL(`${origin}/home`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    // The reloaded page stores default settings and its own visit again, as in a new browser.
    const settings = () => page.evaluate(() => localStorage.getItem("platform:settings"));
    await expect.poll(settings).toBe('{"v":1,"placesOwner":"everybody","recent":["home"]}');
    expect(await stored()).toEqual({ keys: ["other", "platform:settings"], caches: [], workers: 0 });
  });

  it.for([1024, 375])(
    "show complete labels in navigation and settings at twice the text size: %i px",
    async (width, context) => {
      const origin = await serveShell(context, { cookieConsent: undefined });
      const page = await openAs(
        context,
        { viewport: { width, height: 800 }, locale: "fr-FR" },
        { developerMode: true },
      );
      const browserItself = await page.context().newCDPSession(page);
      await browserItself.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
      const truncatedTexts = (elements: Element[]) =>
        elements.filter((label) => label.scrollWidth > label.clientWidth).map((label) => label.textContent);
      await page.goto(`${origin}/settings`);
      await page.locator("h1:visible").first().waitFor();
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe("32px");
      const labels = page.locator(":is(.settings-list, .sidebar) .nav-text, .sidebar .nav-group > span");
      expect(await labels.evaluateAll(truncatedTexts)).toEqual([]);
      expect(await findingsOf(page)).toEqual([]);
      await page.goto(`${origin}/settings/data-privacy`);
      await page.locator("h1:visible").first().waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
      expect(await page.locator(".palette-row .nav-text").evaluateAll(truncatedTexts)).toEqual([]);
    },
  );
});

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const item = (label: string, path: string, fields = {}) => ({ label, path, url: "/__welcome", ...fields });

describe.skipIf(!hasChromium)("the shell on a phone", () => {
  it("shows one navigation button in the app bar, and no link before it", async (context) => {
    const navigation = [
      item("Home", "home"),
      item("Orders", "orders"),
      { title: "Team", items: [item("Staff", "staff")] },
      item("Settings", "settings", { url: "/__settings", position: "end" }),
    ];
    const viewport = { width: 375, height: 700 };
    const config = { layout: "app-bar", navigation };
    const { page } = await openShell(context, browser, config, { path: "/home", viewport });
    await page.locator("h1:visible").waitFor();
    const names: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      await page.keyboard.press("Tab");
      names.push(
        await page.evaluate(() => {
          const { activeElement: element } = document;
          return element?.closest("main")
            ? "content"
            : (element?.getAttribute("aria-label") ?? element?.textContent ?? "");
        }),
      );
    }
    expect(names).toEqual(["Skip to content", "Menu", "AAster", "Search", "content"]);
    expect(await page.locator(".app-bar .nav-link:visible").count()).toBe(0);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Orders" }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/orders");
  });

  it("shows complete labels in its bar, in text of at least 12 px", async (context) => {
    const navigation = ["Accueil", "Aujourd’hui", "Commandes", "Notes", "Archives"].map((label) =>
      item(label, label.toLowerCase().replace("’", "")),
    );
    const { page } = await openShell(
      context,
      browser,
      { navigation },
      { path: "/accueil", viewport: { width: 375, height: 700 }, locale: "fr-FR" },
    );
    const labels = page.locator(".bottom-bar .nav-text");
    await labels.last().waitFor();
    const truncatedTexts = (elements: Element[]) =>
      elements.filter((label) => label.scrollWidth > label.clientWidth).map((label) => label.textContent);
    expect(await labels.evaluateAll(truncatedTexts)).toEqual([]);
    const sizes = await labels.evaluateAll((elements) =>
      elements.map((label) => Number.parseFloat(getComputedStyle(label).fontSize)),
    );
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
  });

  it("shows no groups in a breadcrumb, and short and long labels without truncation", async (context) => {
    const long = "A label that is longer than the room it has on any phone";
    const navigation = [
      { title: "Work", items: [{ title: "Desk", items: [item(long, "long"), item("Short", "short")] }] },
    ];
    const { page, origin } = await openShell(
      context,
      browser,
      { navigation },
      { path: "/long", viewport: { width: 375, height: 700 } },
    );
    const visibleLabels = async () => {
      await page.locator("h1:visible").waitFor();
      return page.locator(".crumbs li:visible").evaluateAll((elements) => elements.map((crumb) => crumb.textContent));
    };
    expect(await visibleLabels()).toEqual([long]);
    const short = page.locator(".bottom-bar .nav-text", { hasText: "Short" });
    expect(await short.evaluate((label) => label.scrollWidth - label.clientWidth)).toBe(0);
    await page.goto(`${origin}/short`);
    expect(await visibleLabels()).toEqual(["Short"]);
    await page.setViewportSize({ width: 1024, height: 700 });
    expect(await visibleLabels()).toEqual(["Work", "Desk", "Short"]);
  });

  it("omits items that are hidden on phones, and items for developers until developer mode is on", async (context) => {
    const navigation = [
      item("Home", "home"),
      item("Wide", "wide", { hiddenOnMobile: true }),
      item("Small", "small", { hiddenOnDesktop: true }),
      item("Probe", "probe", { requiresDevMode: true }),
    ];
    const viewport = { width: 375, height: 700 };
    const { page, origin } = await openShell(context, browser, { navigation }, { path: "/home", viewport });
    const listed = async () => {
      await page.locator("h1:visible").waitFor();
      return page.locator(".nav-link:visible .nav-text").allTextContents();
    };
    await expect.poll(listed).toEqual(["Home", "Small"]);
    // Items that are hidden on this screen size open by their address; items for developers do not.
    await page.goto(`${origin}/wide`);
    await page.getByRole("heading", { level: 1, name: /^Welcome/ }).waitFor();
    await page.goto(`${origin}/probe`);
    await page.getByRole("heading", { level: 1, name: "You do not have access to this page" }).waitFor();

    await page.setViewportSize({ width: 1024, height: 700 });
    await expect.poll(listed).toEqual(["Home", "Wide"]);
    await page.goto(`${origin}/__settings/advanced`);
    await page.getByRole("switch", { name: "Developer mode" }).check();
    await page.goto(`${origin}/probe`);
    await page.getByRole("heading", { level: 1, name: /^Welcome/ }).waitFor();
    await expect.poll(listed).toEqual(["Home", "Wide", "Probe"]);
    await page.setViewportSize(viewport);
    await expect.poll(listed).toEqual(["Home", "Small", "Probe"]);
  });

  it("closes the navigation sheet by a long swipe down, not by a short one", async (context) => {
    const navigation = Array.from({ length: 40 }, (_, index) => item(`Place ${index}`, `place-${index}`));
    const viewport = { width: 375, height: 700 };
    const { page } = await openShell(context, browser, { navigation }, { path: "/place-0", viewport, hasTouch: true });
    await page.getByRole("button", { name: "More", exact: true }).tap();
    const sheet = page.getByRole("dialog");
    await sheet.waitFor();
    await sheet.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)));
    const top = () => sheet.evaluate((element) => element.getBoundingClientRect().top);
    const before = await top();
    const browserItself = await page.context().newCDPSession(page);
    const swipe = async (distance: number) => {
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number }[]) =>
        browserItself.send("Input.dispatchTouchEvent", { type, touchPoints });
      const from = { x: 180, y: before + 200 };
      await touch("touchStart", [from]);
      for (let step = 1; step <= 10; step += 1)
        await touch("touchMove", [{ ...from, y: from.y + (distance * step) / 10 }]);
      await touch("touchEnd", []);
    };
    await swipe(40);
    expect(await sheet.isVisible()).toBe(true);
    await expect.poll(top).toBe(before);
    // A swipe on a scrolled list first scrolls it back.
    const list = sheet.locator(".sheet-body");
    await list.evaluate((element) => element.scrollTo(0, 150));
    await swipe(300);
    await expect.poll(() => list.evaluate((element) => element.scrollTop)).toBe(0);
    expect(await sheet.isVisible()).toBe(true);
    await swipe(160);
    await sheet.waitFor({ state: "detached" });
  });
});

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

const item = (label: string, path: string, more = {}) => ({ label, path, url: "/__welcome", ...more });

describe.skipIf(!hasChromium)("a phone", () => {
  it("has one button for the navigation of an app bar, and no link of it before", async (context) => {
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
    for (let at = 0; at < 5; at += 1) {
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

  it("shows the labels of its bar whole, in text that is not under 12 px", async (context) => {
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
    const cut = (all: Element[]) =>
      all.filter((label) => label.scrollWidth > label.clientWidth).map((label) => label.textContent);
    expect(await labels.evaluateAll(cut)).toEqual([]);
    const sizes = await labels.evaluateAll((all) =>
      all.map((label) => Number.parseFloat(getComputedStyle(label).fontSize)),
    );
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
  });

  it("drops the groups of a long place, and no letters of them", async (context) => {
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
    const shown = async () => {
      await page.locator("h1:visible").waitFor();
      return page.locator(".crumbs li:visible").evaluateAll((all) => all.map((crumb) => crumb.textContent));
    };
    expect(await shown()).toEqual([long]);
    await page.goto(`${origin}/short`);
    expect(await shown()).toEqual(["Short"]);
    await page.setViewportSize({ width: 1024, height: 700 });
    expect(await shown()).toEqual(["Work", "Desk", "Short"]);
  });
});

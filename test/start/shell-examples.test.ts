import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import type { Platform } from "../support/platform/platform";
import { sharePlatform } from "../support/platform/shared-platform";
import { findingsOf } from "../support/shell/axe.ts";
import { signIn, startExamples } from "../support/shell/examples";

let platform: Platform;
let browser: Browser;
let shell = "";
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  platform = await sharePlatform();
  shell = await startExamples({ onTestFinished: (end: unknown) => void ends.push(end as () => unknown) }, platform);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  for (const end of ends.toReversed()) await end();
  await platform?.close();
});

let userCount = 0;
const newEmailAddress = () => {
  userCount += 1;
  return `example${userCount}@example.com`;
};

const today = (page: Page) => page.frameLocator('iframe[title^="Today"], iframe[title^="Aujourd’hui"]');
const orders = (page: Page) => page.frameLocator('iframe[title^="Orders"]');
const item = (page: Page, name: string) => page.getByRole("navigation").getByRole("link", { name }).first();

async function openOrders(path = "/orders", email = newEmailAddress()) {
  const { page, context, errors } = await openPage(browser);
  await signIn(page, platform, shell, email, path);
  return { page, context, errors, email };
}

describe.skipIf(!hasChromium)("the example with the tiny library", () => {
  it("uses the shell's colours and language, and sets its badge, while nobody is signed in", async () => {
    const { page, context, errors } = await openPage(browser, { locale: "fr-FR" });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`${shell}/today`);
    await today(page).getByText("Personne n’est connecté").waitFor();
    const html = today(page).locator("html");
    expect(await html.getAttribute("data-platform-mode")).toBe("dark");
    expect(await html.getAttribute("lang")).toBe("fr");
    const colorOf = (root: Element) => getComputedStyle(root).backgroundColor;
    const background = await page
      .locator("html")
      .evaluate((root) => getComputedStyle(root).getPropertyValue("--background"));
    expect(await html.evaluate((root) => root.style.getPropertyValue("--platform-background"))).toBe(background.trim());
    const dark = await html.evaluate(colorOf);
    await item(page, "Aujourd’hui").locator(".badge").getByText("4", { exact: true }).waitFor();
    await today(page).getByLabel("Préparer l’inventaire").check();
    await item(page, "Aujourd’hui").locator(".badge").getByText("3", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Annuler" }).click();
    await item(page, "Aujourd’hui").locator(".badge").getByText("4", { exact: true }).waitFor();
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(() => html.getAttribute("data-platform-mode")).toBe("light");
    expect(await html.evaluate(colorOf)).not.toBe(dark);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("shows the signed-in user until the sign-out", async () => {
    const { page, context } = await openPage(browser);
    await signIn(page, platform, shell, "owner@example.com", "/today");
    await today(page).getByText("owner@example.com").waitFor();
    await today(page).getByText("Owner", { exact: true }).waitFor();
    expect(await page.frames().at(-1)?.evaluate("platform.getAccessToken()")).toEqual({
      data: null,
      error: { code: "forbidden" },
    });
    await page.getByRole("button", { name: /^Account of/ }).click();
    await page.getByText("Sign out").first().click();
    await today(page).getByText("Nobody is signed in").waitFor();
    await context.close();
  });

  it("works without a shell", async () => {
    const { page, context, errors } = await openPage(browser);
    await page.goto(`${shell}/today`);
    const src = await page.locator('iframe[title^="Today"]').getAttribute("src");
    await page.goto(src ?? "");
    await page.getByText("There is no shell around this page").waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe.skipIf(!hasChromium)("the example with the full library", () => {
  it("follows the browser's back and forward without reloading, and adds one history entry per navigation", async () => {
    const { page, context, errors } = await openOrders();
    await orders(page).getByRole("heading", { name: "Orders" }).waitFor();
    await orders(page)
      .locator("html")
      .evaluate(() => Object.assign(window, { isSameDocument: true }));
    const before = await page.evaluate(() => history.length);
    await orders(page).getByRole("link", { name: "1042" }).click();
    await page.waitForURL(`${shell}/orders/1042`);
    await orders(page).getByRole("heading", { name: "Order 1042" }).waitFor();
    await expect.poll(() => page.title()).toContain("Orders");
    await orders(page).getByRole("link", { name: "All orders" }).click();
    await page.waitForURL(`${shell}/orders`);
    expect(await page.evaluate(() => history.length)).toBe(before + 2);
    await page.goBack();
    await page.waitForURL(`${shell}/orders/1042`);
    await orders(page).getByRole("heading", { name: "Order 1042" }).waitFor();
    await page.goBack();
    await page.waitForURL(`${shell}/orders`);
    await orders(page).getByRole("heading", { name: "Orders" }).waitFor();
    await page.goForward();
    await page.waitForURL(`${shell}/orders/1042`);
    await orders(page).getByRole("heading", { name: "Order 1042" }).waitFor();
    expect(
      await orders(page)
        .locator("html")
        .evaluate(() => "isSameDocument" in window),
    ).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("opens at the address of a deep link", async () => {
    const { page, context } = await openOrders("/orders/1041");
    await orders(page).getByRole("heading", { name: "Order 1041" }).waitFor();
    await page.reload();
    await orders(page).getByRole("heading", { name: "Order 1041" }).waitFor();
    await item(page, "Today").click();
    await page.waitForURL(`${shell}/today`);
    await item(page, "Orders").click();
    await page.waitForURL(`${shell}/orders/1041`);
    await context.close();
  });

  it("asks for confirmation in a dialog of the shell that shows the application's name, and can undo the action", async () => {
    const { page, context, errors } = await openOrders("/orders/1040");
    const remove = orders(page).getByRole("button", { name: "Remove order" });
    await remove.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Remove order 1040?").waitFor();
    await dialog.getByText("Orders", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await orders(page).getByRole("heading", { name: "Order 1040" }).waitFor();
    await remove.click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.waitForURL(`${shell}/orders`);
    expect(await orders(page).getByRole("link", { name: "1040" }).count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.waitForURL(`${shell}/orders/1040`);
    await orders(page).getByRole("heading", { name: "Order 1040" }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("shows progress and result in one toast, disables the finished action, and updates the badge", async () => {
    const { page, context } = await openOrders("/orders/1042");
    await item(page, "Orders").locator(".badge").getByText("2", { exact: true }).waitFor();
    const send = orders(page).getByRole("button", { name: "Mark as sent" });
    const colourOf = () => send.evaluate((button) => getComputedStyle(button).backgroundColor);
    const calling = await colourOf();
    await send.click();
    await page.getByText("Notifying the carrier").waitFor();
    await page.getByText("Order 1042 is sent").waitFor();
    // The finished action is disabled but still readable.
    expect(await send.isDisabled()).toBe(true);
    expect(await colourOf()).not.toBe(calling);
    expect(await page.locator(".toast").count()).toBe(1);
    await item(page, "Orders").locator(".badge").getByText("1", { exact: true }).waitFor();
    await context.close();
  });

  it("opens a view of the shell in a dialog that Escape closes, and Control+k opens a dialog from inside the application", async () => {
    const { page, context } = await openOrders();
    await orders(page).getByRole("button", { name: "Appearance" }).click();
    await page.getByRole("dialog").getByText("Appearance").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await orders(page).getByRole("heading", { name: "Orders" }).click();
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await context.close();
  });

  it("reads the account with the access token and stores no copy of the token", async () => {
    const { page, context, errors, email } = await openOrders("/orders/account");
    await orders(page).locator("dd").getByText(email).waitFor();
    await orders(page).locator("dd").getByText("Sign-in link", { exact: true }).waitFor();
    const appStorage = await orders(page)
      .locator("html")
      .evaluate(() => document.cookie + location.href + document.documentElement.outerHTML);
    const storedText = JSON.stringify(await context.storageState()) + appStorage;
    expect(storedText).not.toContain("eyJ");
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe.skipIf(!hasChromium)("the examples with the tiny and the full library", () => {
  it("have no axe violations in a light and a dark scheme", async () => {
    const { page, context } = await openOrders("/orders");
    for (const [path, heading] of [
      ["/today", "Today"],
      ["/orders", "Orders"],
      ["/orders/1042", "Order 1042"],
      ["/orders/account", "What the service says about you"],
    ] as const) {
      await page.goto(shell + path);
      const element = page.locator("iframe:not([aria-hidden])");
      await element.contentFrame().getByRole("heading", { name: heading, exact: true }).waitFor();
      const frame = await (await element.elementHandle())?.contentFrame();
      if (!frame) throw new Error(`${path} shows no application`);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await element.contentFrame().locator(`[data-platform-mode=${colorScheme}]`).waitFor();
        expect({ path, colorScheme, findings: await findingsOf(frame) }).toEqual({ path, colorScheme, findings: [] });
      }
    }
    await context.close();
  });
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { frameOf, receivedBy, sendToShell, serveApplication } from "../support/shell/application.ts";
import { fakeBackendUrl, routeBackend, sessionAt, tokensOf } from "../support/shell/fake-identity.ts";
import { startShellSite } from "../support/shell/shell-site.ts";

// These tests use no mouse. They reach elements with Tab and use them with Enter, Space, the arrow keys and Escape.

let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
});
afterAll(async () => await browser?.close());

async function openShell(context: TestContext, path: string, isSignedIn = true) {
  const application = await serveApplication(context);
  const site = await startShellSite(
    { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["magic_link"] } },
    {
      navigation: [
        { label: "Home", path: "home", url: "/__welcome", requiresAuth: true },
        { title: "Work", items: [{ label: "Orders", path: "orders", url: `${application}/app` }] },
        { label: "Notes", path: "notes", url: `${application}/notes`, openIn: "drawer" },
        { label: "Settings", path: "settings", url: "/__settings", position: "end" },
      ],
    },
  );
  context.onTestFinished(() => site.close());
  const { page, context: browserContext, errors } = await openPage(browser);
  context.onTestFinished(() => browserContext.close());
  await routeBackend(browserContext, { "/api/v1/magic-link/verify": { body: tokensOf() } });
  if (isSignedIn)
    await browserContext.addInitScript((record) => {
      if (top === window && localStorage.getItem("platform:settings") === null)
        localStorage.setItem("platform:session", record);
    }, sessionAt(fakeBackendUrl));
  await page.goto(site.url + path);
  return { page, errors, shell: site.url, orders: () => frameOf(page, `${application}/app`) };
}

/** Returns the name of the focused element, and whether its focus is visible. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return { name: "", isFocusVisible: true };
    const label = element.getAttribute("aria-label") ?? (element as HTMLInputElement).labels?.[0]?.textContent;
    const { outlineStyle, boxShadow } = getComputedStyle(element);
    // A separator shows the focus by a line. Headings and frames receive focus to be read, not to be pressed.
    const line = getComputedStyle(element, "::after").backgroundColor;
    const isFocusVisible =
      outlineStyle !== "none" || boxShadow !== "none" || (line !== "" && line !== "rgba(0, 0, 0, 0)");
    return {
      name: (label ?? element.textContent ?? "").trim(),
      isFocusVisible: isFocusVisible || element.matches("h1, iframe"),
    };
  });

/** Presses Tab, or Shift and Tab, until an element with the name has the focus. */
async function tabTo(page: Page, name: string | RegExp, key = "Tab"): Promise<void> {
  const visited: string[] = [];
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press(key);
    const focus = await focused(page);
    expect([focus.name, focus.isFocusVisible]).toEqual([focus.name, true]);
    if (typeof name === "string" ? focus.name === name : name.test(focus.name)) return;
    visited.push(focus.name);
  }
  throw new Error(`${String(name)} is not reached; there was: ${visited.join(", ")}`);
}

describe.skipIf(!hasChromium)("a user with only the keyboard", () => {
  it("signs in and reaches the requested page", async (context) => {
    const { page, errors, shell } = await openShell(context, "/home", false);
    await page.waitForURL(`${shell}/login?next=%2Fhome`);
    await page.getByLabel("Email address").waitFor();
    if ((await focused(page)).name !== "Email address") await tabTo(page, "Email address");
    await page.keyboard.type("mina@example.com");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
    if ((await focused(page)).name !== "Sign-in code") await tabTo(page, "Sign-in code");
    await page.keyboard.type("BCDF2345");
    await page.waitForURL(`${shell}/home`);
    await expect.poll(async () => (await focused(page)).name).toMatch(/^Welcome/);
    expect(errors).toEqual([]);
  });

  it("uses navigation, groups, settings and account menu, and signs out", async (context) => {
    const { page, shell } = await openShell(context, "/home");
    await page.getByRole("heading", { level: 1, name: /^Welcome/ }).waitFor();
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    await tabTo(page, "Work", "Shift+Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("button", { name: "Work" }).getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Space");
    await expect.poll(() => page.getByRole("button", { name: "Work" }).getAttribute("aria-expanded")).toBe("true");
    await tabTo(page, /Settings$/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Appearance" }).waitFor();
    await expect.poll(async () => (await focused(page)).name).toBe("Appearance and language");
    await tabTo(page, /Light|System|Dark/);
    await page.keyboard.press("ArrowRight");
    const scheme = await page.getByRole("radio", { checked: true }).first().getAttribute("value");
    await page.keyboard.press("ArrowLeft");
    expect(await page.getByRole("radio", { checked: true }).first().getAttribute("value")).not.toBe(scheme);
    await tabTo(page, /^Account of/, "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });
    await expect.poll(async () => (await focused(page)).name).toMatch(/^Account of/);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await focused(page)).name).toBe("Account");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    expect(page.url()).toBe(`${shell}/settings`);
  });

  it("works in an application and its overlays, and returns to the previous focus", async (context) => {
    const { page, orders } = await openShell(context, "/orders");
    await expect.poll(() => page.frames().filter((frame) => frame.url().endsWith("/app")).length).toBe(1);
    await orders().getByLabel("Typed").waitFor();
    // Moves from the first focusable element of the page into the application.
    await page.keyboard.press("Tab");
    expect((await focused(page)).name).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("typed by keys");
    await expect.poll(() => orders().getByLabel("Typed").inputValue()).toBe("typed by keys");

    await sendToShell(orders(), "PLATFORM_DIALOG", {
      id: "d",
      title: "Delete 3 orders?",
      mode: "delete",
      okLabel: "Delete orders",
    });
    await page.getByRole("dialog", { name: "Delete 3 orders?" }).waitFor();
    await tabTo(page, "Delete orders");
    await page.keyboard.press("Enter");
    await expect.poll(() => receivedBy(orders(), "PLATFORM_DIALOG_OK")).toEqual([{ id: "d" }]);

    await sendToShell(orders(), "PLATFORM_TOAST", {
      id: "t",
      title: "3 orders are deleted",
      action: { label: "Undo" },
    });
    await page.locator(".toast").waitFor();
    await tabTo(page, "Undo", "Shift+Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => receivedBy(orders(), "PLATFORM_TOAST_ACTION")).toEqual([{ id: "t" }]);

    await tabTo(page, /Notes$/);
    await page.keyboard.press("Enter");
    const drawer = page.getByRole("dialog", { name: "Notes" });
    await drawer.waitFor();
    // The page behind the drawer is inert.
    for (let steps = 0; steps < 8; steps += 1) {
      await page.keyboard.press("Tab");
      const isOutside = await page.evaluate(() => {
        const element = document.activeElement;
        return element !== document.body && element?.closest("dialog") === null;
      });
      expect(isOutside).toBe(false);
    }
    await tabTo(page, "Close", "Shift+Tab");
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    await expect.poll(async () => (await focused(page)).name).toMatch(/Notes$/);
  });
});

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import type { Cleanup } from "../support/cli/project.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { frameOf, sendToShell, serveApplication } from "../support/shell/application.ts";
import { fakeBackendUrl, fakeUser, routeBackend, sessionAt } from "../support/shell/fake-identity.ts";
import { openOnce, openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const backend = { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["magic_link"] } };

type Options = { path?: string; isSignedIn?: boolean; config?: object };

/** Opens a shell with an application and items that require a session, one for each way to open an item. */
async function open(context: Cleanup, { path = "/orders", isSignedIn = false, config = { backend } }: Options = {}) {
  const application = await serveApplication(context);
  const item = (label: string, fields: object = {}) => ({
    label,
    path: label.toLowerCase(),
    url: `${application}/${label.toLowerCase()}`,
    ...fields,
  });
  const navigation = [
    item("Orders"),
    item("Window", { requiresAuth: true, openIn: "modal" }),
    item("Notes", { requiresAuth: true, openIn: "drawer" }),
    item("Elsewhere", { requiresAuth: true, openIn: "external" }),
    item("Guarded", { requiresAuth: true, settings: `${application}/settings` }),
    item("Staff", { requiresStaff: true, hidden: true }),
    item("Open", { settings: `${application}/settings` }),
  ];
  const opened = await openShell(
    context,
    browser,
    { navigation, ...config },
    {
      path,
      locale: "en-GB",
      viewport: { width: 1280, height: 800 },
      async prepare(browserContext) {
        await routeBackend(browserContext);
        if (!isSignedIn) return;
        await browserContext.addInitScript((record) => {
          if (top !== window || sessionStorage.getItem("begun") !== null) return;
          sessionStorage.setItem("begun", "1");
          localStorage.setItem("platform:session", record);
        }, sessionAt(fakeBackendUrl));
      },
    },
  );
  const { page } = opened;
  const orders = async () => {
    await page.locator(".frame-cover").waitFor({ state: "detached" });
    return frameOf(page, `${application}/orders`);
  };
  /** Signs out in another tab. */
  const signOutElsewhere = async () => {
    const otherPage = await page.context().newPage();
    await otherPage.goto(`${opened.origin}/__welcome`);
    await otherPage.evaluate(() => localStorage.removeItem("platform:session"));
    await otherPage.close();
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
  };
  return { ...opened, application, orders, signOutElsewhere, dialog: page.getByRole("dialog") };
}

const shared = openOnce((context) => open(context));

/** Opens a shell as `open` does for a signed-out user. The tests share it, because it stores nothing for them. */
async function openSignedOut(path = "/orders") {
  const opened = await shared();
  await opened.page.goto(opened.origin + path);
  return opened;
}

describe.skipIf(!hasChromium)("settings that require a session", () => {
  it("redirect to the sign-in after a sign-out on their page, and when a signed-out user opens them", async (context) => {
    const { page, origin } = await open(context, { isSignedIn: true, path: "/__settings/account" });
    await page.getByRole("heading", { level: 1, name: "Account" }).waitFor();
    await page.getByRole("main").getByRole("button", { name: "Sign out", exact: true }).first().click();
    await page.waitForURL(`${origin}/login?next=%2F__settings%2Faccount`);
    await page.getByLabel("Email address").waitFor();
    await page.goto(`${origin}/__settings/account`);
    await page.waitForURL(`${origin}/login?next=%2F__settings%2Faccount`);
  });

  it("redirect to the sign-in when they belong to an item that requires a session", async () => {
    const { page, origin } = await openSignedOut("/__settings/app-guarded");
    await page.waitForURL(`${origin}/login?next=%2F__settings%2Fapp-guarded`);
    await page.getByLabel("Email address").waitFor();
  });

  it("do not exist without a backend", async (context) => {
    const { page } = await open(context, { path: "/__settings/account", config: {} });
    await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
  });
});

describe.skipIf(!hasChromium)("a modal or drawer item that requires a session", () => {
  it.for([
    ["Window", true],
    ["Notes", true],
    ["Elsewhere", true],
    ["Window", false],
  ] as const)("redirects signed-out users to the sign-in: %s, backend: %s", async ([name, hasBackend], context) => {
    const { page, dialog } = hasBackend ? await openSignedOut() : await open(context, { config: {} });
    await page.getByRole("navigation").getByRole("link", { name }).click();
    await page.waitForURL(new RegExp(`/login\\?next=%2F${name.toLowerCase()}$`));
    expect(await dialog.count()).toBe(0);
    expect(page.context().pages()).toHaveLength(1);
  });

  it("redirects signed-out users from the palette", async () => {
    const { page, dialog } = await openSignedOut();
    await page.getByRole("navigation").getByRole("link", { name: "Window" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("Window");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/login\?next=%2Fwindow$/);
    expect(await dialog.count()).toBe(0);
  });

  it("opens over the page for signed-in users (modal)", async (context) => {
    const { page, application } = await open(context, { isSignedIn: true });
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Window" }).click();
    await page.getByRole("dialog", { name: "Window" }).waitFor();
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${application}/window`)).toBe(true);
    expect(new URL(page.url()).pathname).toBe("/orders");
  });
});

describe.skipIf(!hasChromium)("a sign-out in another tab", () => {
  it("closes the item over the page and clears the user's badges", async (context) => {
    const { page, orders, dialog, application, signOutElsewhere } = await open(context, { isSignedIn: true });
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    await page.locator(".frame-room iframe").waitFor();
    await sendToShell(await orders(), "PLATFORM_BADGE", { count: 7 });
    await page.locator(".badge").getByText("7", { exact: true }).first().waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Window" }).click();
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${application}/window`)).toBe(true);
    await signOutElsewhere();
    await dialog.waitFor({ state: "detached" });
    await page.locator(".badge").waitFor({ state: "detached" });
  });

  it("reloads the settings frame of an application", async (context) => {
    const { page, signOutElsewhere } = await open(context, { isSignedIn: true, path: "/__settings/app-open" });
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    await page.locator(".app-panel iframe").evaluate((frame) => frame.setAttribute("data-last", ""));
    await signOutElsewhere();
    await page.locator(".app-panel iframe:not([data-last])").waitFor();
  });
});

describe.skipIf(!hasChromium)("a user whose session ended", () => {
  it("finds their email address in the form of the next sign-in, although the browser does not store it", async (context) => {
    const { page } = await open(context, { isSignedIn: true });
    await page.getByRole("button", { name: /^Account of/ }).waitFor();
    await page.context().route("**/api/v1/token?**", (route) =>
      route.fulfill({
        status: 401,
        headers: { "Access-Control-Allow-Origin": "*" },
        json: { error_code: "token_invalid" },
      }),
    );
    await page.clock.setFixedTime(Date.now() + 890_000);
    await page.evaluate(() => void dispatchEvent(new Event("focus")));
    await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    const field = page.getByLabel("Email address");
    await field.waitFor();
    expect(await field.inputValue()).toBe(fakeUser.email);
    const storedText = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href]),
    );
    expect(storedText).not.toContain(fakeUser.email);
    await page.getByRole("link", { name: "Aster" }).first().click();
    await page.getByRole("navigation").getByRole("link", { name: "Guarded" }).click();
    await field.waitFor();
    expect(await field.inputValue()).toBe("");
  });
});

describe.skipIf(!hasChromium)("an overlay of a shell address", () => {
  /** Opens the addresses as modals, one after another, and calls `check` for each. */
  async function openModals<T extends string>(
    addresses: readonly (readonly [url: string, title: T])[],
    check: (opened: Awaited<ReturnType<typeof open>>, url: string, title: T) => Promise<void>,
  ): Promise<void> {
    const opened = await openSignedOut();
    const { page, orders, dialog } = opened;
    await page.locator(".frame-room iframe").waitFor();
    for (const [url, title] of addresses) {
      await sendToShell(await orders(), "PLATFORM_OPEN_MODAL", { url, title: "More" });
      await dialog.getByRole("heading", { name: title }).first().waitFor();
      await check(opened, url, title);
      await dialog.getByRole("button", { name: "Close" }).first().click();
      await dialog.waitFor({ state: "detached" });
    }
  }

  it("shows an error when the view cannot open", async () => {
    const addresses = [
      ["/guarded", "You do not have access"],
      ["/staff", "You do not have access"],
      ["/modalpage", "This page does not exist"],
      ["/__nothing", "This page does not exist"],
      ["/__settings/account", "You do not have access"],
      ["/orders", "This page cannot be shown here"],
      ["/login", "This page cannot be shown here"],
      ["/", "This page cannot be shown here"],
    ] as const;
    await openModals(addresses, async ({ dialog }, url, title) => {
      expect(await dialog.locator("iframe").count()).toBe(0);
      if (title === "This page cannot be shown here")
        await dialog.locator(`a[target="_blank"][href$="${url}"]`, { hasText: "Open in new tab" }).waitFor();
    });
  });

  it("shows diagnostics, cookie preferences and settings", async () => {
    const addresses = [
      ["/__diagnostics", "Diagnostics"],
      ["/__cookie-preferences", "Cookie preferences"],
      ["/__settings/appearance", "Appearance"],
    ] as const;
    await openModals(addresses, async ({ dialog }) => {
      expect(await dialog.getByRole("heading", { name: "This page cannot be shown here" }).count()).toBe(0);
    });
  });
});

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { fakeBackendUrl, routeBackend, sessionAt } from "../support/shell/fake-identity.ts";
import { account, type ShellSite, startShellSite } from "../support/shell/shell-site.ts";

let browser: Browser;
let site: ShellSite;
beforeAll(async () => {
  if (!hasChromium) return;
  browser = await launchChromium();
  const place = (label: string) => ({ label, path: label.toLowerCase(), url: "/__welcome" });
  const navigation = [place("Home"), { title: "Work", items: [place("Orders"), place("Notes"), place("People")] }];
  site = await startShellSite({ type: "platform", url: fakeBackendUrl, companyId: 1 }, { navigation });
});
afterAll(async () => {
  await site?.close();
  await browser?.close();
});

describe.skipIf(!hasChromium)("places in the sidebar", () => {
  it("load the pins of the account, move by menu, keyboard and pointer, and leave with the user", async (context) => {
    const { page, context: browserContext, errors } = await openPage(browser);
    context.onTestFinished(() => browserContext.close());
    await routeBackend(browserContext, {
      "/api/v1/preferences": { body: { pinned: ["elsewhere", "notes", "orders"] } },
    });
    const sent: unknown[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") sent.push(request.postDataJSON());
    });
    await page.goto(`${site.url}/home`);
    const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem("platform:settings") ?? "{}"));
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    expect(await stored()).not.toHaveProperty("recent");

    await page.evaluate((record) => localStorage.setItem("platform:session", record), sessionAt(fakeBackendUrl));
    await page.reload();
    await account(page).waitFor();
    const rows = page.locator(".sidebar-nav .nav-group:has-text('Pinned') + div .place > a");
    await expect.poll(() => rows.allTextContents()).toEqual(["NNotes", "OOrders"]);

    const row = (name: string) => page.locator(".place", { has: page.getByRole("link", { name }) });
    await row("People").hover();
    await page.getByRole("button", { name: "Actions for People" }).click();
    await page.getByRole("menuitem", { name: "Pin to sidebar" }).click();
    await expect.poll(() => rows.allTextContents()).toEqual(["NNotes", "OOrders", "PPeople"]);

    await page.getByRole("link", { name: "Orders" }).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await expect.poll(() => rows.allTextContents()).toEqual(["OOrders", "NNotes", "PPeople"]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("OOrders");
    expect(await row("Orders").locator("[aria-live]").textContent()).toBe("Orders, place 1 of 3");

    const target = await row("Orders").boundingBox();
    await row("People").hover();
    await page.mouse.down();
    await page.mouse.move(120, (target?.y ?? 0) + 2, { steps: 8 });
    await page.mouse.up();
    await expect.poll(() => rows.allTextContents()).toEqual(["PPeople", "OOrders", "NNotes"]);
    expect(page.url()).toBe(`${site.url}/home`);
    // The page does not wait for the delay after the last change.
    await page.evaluate(() => dispatchEvent(new Event("pagehide")));
    await expect
      .poll(() => sent.at(-1), { timeout: 500 })
      .toEqual({ pinned: ["elsewhere", "people", "orders", "notes"] });

    await account(page).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    expect(await rows.count()).toBe(0);
    expect(Object.keys(await stored())).not.toEqual(expect.arrayContaining(["recent"]));
    expect(Object.keys(await stored())).not.toEqual(expect.arrayContaining(["pinned"]));
    expect(errors).toEqual([]);
  });

  it("lists the last visited place first, groups by heading above eight tiles, and the current place and sign-out last", async (context) => {
    const application = (name: string) => ({
      label: name,
      path: name.toLowerCase(),
      url: `https://app.example/${name}`,
    });
    const navigation = [
      { label: "Home", path: "home", url: "/__welcome" },
      { title: "Work", items: ["Orders", "Notes", "People", "Stock"].map(application) },
      { title: "Money", items: ["Bills", "Taxes", "Banks", "Wages", "Loans"].map(application) },
    ];
    const logo = "/logo.svg";
    const grouped = await startShellSite({ type: "platform", url: fakeBackendUrl, companyId: 1 }, { navigation, logo });
    context.onTestFinished(() => grouped.close());
    const { page, context: browserContext } = await openPage(browser);
    context.onTestFinished(() => browserContext.close());
    await routeBackend(browserContext);
    await browserContext.route("https://app.example/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<p>Application</p>" }),
    );
    await browserContext.addInitScript(
      (record) => top === window && localStorage.setItem("platform:session", record),
      sessionAt(fakeBackendUrl),
    );
    await page.goto(`${grouped.url}/orders`);
    await account(page).waitFor();
    for (const name of ["Taxes", "Home"]) await page.locator(".sidebar-nav").getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name: /^Welcome/ }).waitFor();
    expect(await page.locator(".tiles-title").allTextContents()).toEqual(["Last visited", "Work", "Money"]);
    expect(await page.locator(".tile-section").first().locator(".nav-text").allTextContents()).toEqual([
      "Taxes",
      "Orders",
    ]);

    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog");
    await palette.waitFor();
    const groups = palette.locator(".palette-list > [role=group]");
    const textsOf = (index: number) => groups.nth(index).locator(".nav-text").allTextContents();
    expect((await groups.locator(".palette-group").allTextContents()).slice(0, 2)).toEqual(["Recent", "Go to"]);
    expect(await textsOf(0)).toEqual(["Taxes", "Orders"]);
    expect((await textsOf(1)).at(-1)).toBe("Home");
    expect(await palette.getByRole("option").last().textContent()).toContain("Sign out");
    await page.keyboard.press("Escape");

    await page.keyboard.press("Control+b");
    const brand = page.locator(".sidebar").getByRole("link", { name: "Aster" });
    await brand.locator(".brand-mark").waitFor();
  });
});

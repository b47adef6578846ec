import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readShellFiles } from "../../cli/page/shell-files.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { type Cleanup, makeProject } from "../support/cli/project.ts";
import { startServer } from "../support/cli/server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { frameOf, receivedBy, sendToShell, serveApplication, settleMessages } from "../support/shell/application.ts";
import { openOnce } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

/** Serves a shell with two applications on their own origins. */
const served = openOnce(async (context) => {
  const [application, otherApplication] = [await serveApplication(context), await serveApplication(context)];
  const navigation = [
    { label: "Orders", path: "orders", url: `${application}/app` },
    { label: "Reports", path: "reports", url: `${otherApplication}/#/` },
    { label: "Notes", path: "notes", url: `${application}/notes`, openIn: "drawer" },
  ];
  const root = makeProject(context, {
    "platform.config.json": JSON.stringify({ title: "Aster", navigation }),
  });
  const { port } = await startServer(context, root, { shell: await readShellFiles({}) });
  return { shell: `http://localhost:${port}`, application, otherApplication };
});

async function openOwnPage({ onTestFinished }: Cleanup) {
  const { page } = await openPage(browser);
  onTestFinished(() => page.context().close());
  return page;
}
const sharedPage = openOnce(openOwnPage);

/** Loads the shell at `path`, in the page that the tests share unless a test changes more than the loaded shell. */
async function openShell(path: string, opening: Promise<Page> = sharedPage()) {
  const { shell, application, otherApplication } = await served();
  const page = await opening;
  await page.goto(shell + path);
  await page.locator(".frame-room iframe").first().waitFor();
  await expect.poll(() => page.frames().length).toBeGreaterThan(1);
  const orders = () => frameOf(page, `${application}/app`);
  await expect.poll(() => orders().evaluate(() => document.readyState)).toBe("complete");
  return { page, application, otherApplication, orders };
}

const pathOf = (page: Page) => page.url().replace(/^https?:\/\/[^/]+/, "");

describe.skipIf(!hasChromium)("applications in the shell", () => {
  it("open at a deep link, and add one browser history entry for each of their own navigations", async () => {
    const { page, orders, application } = await openShell("/orders/7/lines?sort=name#last");
    expect(orders().url()).toBe(`${application}/app/7/lines?sort=name#last`);
    await sendToShell(orders(), "PLATFORM_SETTINGS_REQUESTED", { sdk: "test" });
    await expect.poll(() => receivedBy(orders(), "PLATFORM_SETTINGS")).toHaveLength(1);
    await sendToShell(orders(), "PLATFORM_URL_CHANGED", { pathname: "/app/8", search: "", hash: "" });
    await expect.poll(() => pathOf(page)).toBe("/orders/8");
    await page.goBack();
    await expect.poll(() => pathOf(page)).toBe("/orders/7/lines?sort=name#last");
    await expect
      .poll(async () => (await receivedBy(orders(), "PLATFORM_NAVIGATE_TO"))[0])
      .toEqual({ pathname: "/app/7/lines", search: "?sort=name", hash: "#last" });
  });

  it("receive settings by their trust level: without trust, no message contains the user or the token", async () => {
    const { orders } = await openShell("/orders");
    await sendToShell(orders(), "PLATFORM_SETTINGS_REQUESTED", { sdk: "test" });
    await expect.poll(() => receivedBy(orders(), "PLATFORM_SETTINGS")).toHaveLength(1);
    const [message] = await receivedBy(orders(), "PLATFORM_SETTINGS");
    expect(message?.level).toBe("none");
    const names = ["appearance", "cookieConsent", "developer", "language", "navigation", "region", "shell"];
    expect(Object.keys(message?.settings ?? {}).toSorted()).toEqual(names);
    for (const type of [
      "PLATFORM_SESSION_REQUESTED",
      "PLATFORM_LOGOUT",
      "PLATFORM_PREFERENCES_UPDATE",
      "PLATFORM_SELECT_STORAGE",
    ])
      await sendToShell(orders(), type, { id: type });
    await expect
      .poll(async () => (await receivedBy(orders(), "PLATFORM_ERROR")).map(({ code }) => code))
      .toEqual(Array(4).fill("forbidden"));
    await sendToShell(orders(), "PLATFORM_STORAGE_REQUEST", { id: "s", op: "listBuckets" });
    await expect
      .poll(() => receivedBy(orders(), "PLATFORM_STORAGE_RESPONSE"))
      .toEqual([{ id: "s", error: { status: 403, code: "forbidden" } }]);
  });

  it("are disconnected when their frame navigates to another origin", async () => {
    const { page, orders, otherApplication } = await openShell("/orders");
    await sendToShell(orders(), "PLATFORM_SETTINGS_REQUESTED", { sdk: "test" });
    await expect.poll(() => receivedBy(orders(), "PLATFORM_SETTINGS")).toHaveLength(1);
    await orders().evaluate((to) => location.assign(to), `${otherApplication}/elsewhere`);
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${otherApplication}/elsewhere`)).toBe(true);
    const stranger = frameOf(page, `${otherApplication}/elsewhere`);
    await stranger.waitForLoadState();
    await sendToShell(stranger, "PLATFORM_SETTINGS_REQUESTED", { sdk: "test" });
    await sendToShell(stranger, "PLATFORM_NAVIGATE", { url: "/__settings" });
    await sendToShell(stranger, "PLATFORM_TOAST", { id: "1", title: "From elsewhere" });
    await settleMessages(page, stranger);
    expect(pathOf(page)).toBe("/orders");
    expect(await page.locator(".toast").count()).toBe(0);
    expect(await stranger.evaluate(() => (window as unknown as { received: unknown[] }).received)).toEqual([]);
  });

  it("are rate limited with one warning, get no answer to messages of unknown kinds or versions, and cannot navigate to foreign URLs", async (context) => {
    const { page, orders } = await openShell("/orders", openOwnPage(context));
    await page.clock.install();
    const warned: string[] = [];
    page.on("console", (message) => message.type() === "warning" && warned.push(message.text()));
    await orders().evaluate(() => {
      const { sendMessage } = window as unknown as {
        sendMessage: (type: string, payload?: unknown, v?: number) => void;
      };
      for (let count = 0; count < 400; count += 1) sendMessage("PLATFORM_SESSION_REQUESTED", { id: String(count) });
    });
    await expect.poll(() => receivedBy(orders(), "PLATFORM_ERROR")).toHaveLength(100);
    expect(warned.filter((text) => text.includes("too many messages"))).toHaveLength(1);
    await page.clock.fastForward(1100);
    await sendToShell(orders(), "PLATFORM_NAVIGATE", { url: "/__settings" }, 2);
    await sendToShell(orders(), "PLATFORM_NOTHING", { url: "/__settings" });
    for (const url of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "javascript:alert(1)",
      "/__nothing",
      "/login/callback",
    ])
      await sendToShell(orders(), "PLATFORM_NAVIGATE", { url });
    await expect
      .poll(async () => (await receivedBy(orders(), "PLATFORM_ERROR")).slice(100).map(({ code }) => code))
      .toEqual(Array(6).fill("invalid_payload"));
    expect(pathOf(page)).toBe("/orders");
  });

  it("receive an error for invalid fields of a message", async () => {
    const { page, orders } = await openShell("/orders");
    const fields = { id: "1", title: "Order" };
    await sendToShell(orders(), "PLATFORM_TOAST", { ...fields, kind: "bogus" });
    await sendToShell(orders(), "PLATFORM_TOAST", { ...fields, duration: "x" });
    await sendToShell(orders(), "PLATFORM_DIALOG", { ...fields, mode: "bogus" });
    await sendToShell(orders(), "PLATFORM_DIALOG", { ...fields, mode: "ok", okLabel: 5 });
    await sendToShell(orders(), "PLATFORM_OPEN_DRAWER", { url: "/__settings", position: "mid" });
    await expect
      .poll(async () => (await receivedBy(orders(), "PLATFORM_ERROR")).map(({ code }) => code))
      .toEqual(Array(5).fill("invalid_payload"));
    expect(await page.locator(".toast, dialog[open]").count()).toBe(0);
  });

  it("remain loaded but inert while another application is shown, and return to their last address", async () => {
    const { page, orders, otherApplication } = await openShell("/orders");
    await orders().getByLabel("Typed").fill("half a sentence");
    await sendToShell(orders(), "PLATFORM_URL_CHANGED", { pathname: "/app/9", search: "", hash: "" });
    await expect.poll(() => pathOf(page)).toBe("/orders/9");
    await page.getByRole("link", { name: "Reports" }).first().click();
    await expect.poll(() => page.frames().some((frame) => frame.url().startsWith(otherApplication))).toBe(true);
    expect(await page.locator("iframe[inert][aria-hidden=true]").count()).toBe(1);
    await sendToShell(frameOf(page, otherApplication), "PLATFORM_URL_CHANGED", {
      pathname: "/",
      search: "",
      hash: "#/q/1?z=2",
    });
    await expect.poll(() => pathOf(page)).toBe("/reports/q/1?z=2");
    await page.getByRole("link", { name: "Orders" }).first().click();
    await expect.poll(() => pathOf(page)).toBe("/orders/9");
    expect(await orders().getByLabel("Typed").inputValue()).toBe("half a sentence");
  });

  it("are preloaded on hover, but never while the browser saves data", async (context) => {
    const { page, otherApplication } = await openShell("/orders", openOwnPage(context));
    await page.clock.install();
    const browserItself = await page.context().newCDPSession(page);
    const saveData = (dataSaverEnabled: boolean) =>
      browserItself.send("Emulation.setDataSaverOverride", { dataSaverEnabled });
    const isLoaded = () => page.frames().some((frame) => frame.url().startsWith(otherApplication));
    const reports = page.getByRole("link", { name: "Reports" }).first();

    await saveData(true);
    await reports.hover();
    await page.waitForFunction(
      (origin) => document.querySelector(`link[rel=preconnect][href="${origin}"]`),
      otherApplication,
    );
    await page.clock.fastForward(1000);
    expect(await page.locator(`iframe[src^="${otherApplication}"]`).count()).toBe(0);
    expect(isLoaded()).toBe(false);

    await saveData(false);
    await page.mouse.move(700, 400);
    await reports.hover();
    await expect.poll(isLoaded).toBe(true);
    expect(pathOf(page)).toBe("/orders");
    expect(await page.locator("iframe[inert][aria-hidden=true]").count()).toBe(1);
  });

  it("open dialogs, toasts and badges through the shell and receive the user's choice", async () => {
    const { page, orders } = await openShell("/orders");
    await sendToShell(orders(), "PLATFORM_DIALOG", {
      id: "d",
      title: "Delete 3 orders?",
      mode: "delete",
      okLabel: "Delete orders",
    });
    const dialog = page.getByRole("dialog", { name: "Delete 3 orders?" });
    await dialog.getByText("Orders", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => receivedBy(orders(), "PLATFORM_DIALOG_CANCEL")).toEqual([{ id: "d" }]);
    for (const id of ["1", "2", "3", "4"])
      await sendToShell(orders(), "PLATFORM_TOAST", { id, title: `Order ${id}`, action: { label: `Undo ${id}` } });
    await expect
      .poll(() => receivedBy(orders(), "PLATFORM_ERROR"))
      .toEqual([{ type: "PLATFORM_TOAST", id: "4", code: "rate_limited" }]);
    await page.getByRole("button", { name: "Undo 2" }).click();
    await expect.poll(() => receivedBy(orders(), "PLATFORM_TOAST_ACTION")).toEqual([{ id: "2" }]);
    await sendToShell(orders(), "PLATFORM_BADGE", { count: 12 });
    await page.getByRole("link", { name: "Orders 12 new" }).waitFor();
    const commands = [{ id: "new", title: "New order", shortcut: "mod+shift+y" }];
    await sendToShell(orders(), "PLATFORM_COMMANDS", { id: "c", commands });
    await page.locator(".page-header").click();
    await page.keyboard.press("Control+k");
    const group = page.getByRole("group", { name: "Orders" });
    await group.getByRole("option", { name: "New order" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+Shift+Y");
    const ran = { id: "c", command: "new" };
    await expect.poll(() => receivedBy(orders(), "PLATFORM_COMMAND_RUN")).toEqual([ran, ran]);
  });

  it("open over the page from the navigation, unless their origin is unknown", async () => {
    const { page, orders, application } = await openShell("/orders");
    await page.getByRole("link", { name: "Notes" }).first().click();
    await page.getByRole("dialog", { name: "Notes" }).waitFor();
    expect(pathOf(page)).toBe("/orders");
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${application}/notes`)).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await sendToShell(orders(), "PLATFORM_OPEN_MODAL", { url: "https://evil.example/", title: "More" });
    await page.getByRole("heading", { name: "This page cannot be shown here" }).waitFor();
    expect(await page.getByRole("dialog").locator("iframe").count()).toBe(0);
  });
});

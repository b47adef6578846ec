import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import type { Cleanup } from "../support/cli/project.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { frameOf, receivedBy, sendToShell, serveApplication } from "../support/shell/application.ts";
import { findingsOf } from "../support/shell/axe.ts";
import { openOnce, openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

/** Opens a shell with one loaded application. */
async function open(context: Cleanup, viewport = { width: 1440, height: 800 }) {
  const application = await serveApplication(context);
  const navigation = [{ label: "Orders", path: "orders", url: `${application}/app` }];
  const opened = await openShell(context, browser, { navigation }, { path: "/orders", viewport, bypassCSP: true });
  await opened.page.locator(".frame-room iframe").waitFor();
  await expect.poll(() => opened.page.frames().some((frame) => frame.url() === `${application}/app`)).toBe(true);
  await opened.page.locator(".frame-cover").waitFor({ state: "detached" });
  return { ...opened, application, orders: frameOf(opened.page, `${application}/app`) };
}

const shared = openOnce((context) => open(context));

/** Opens an overlay named "More" in the shared shell, and returns the application in the overlay. */
async function openOver(type: string, payload: object = {}) {
  const opened = await shared();
  const { page, orders, application } = opened;
  // An earlier test may have received messages.
  await orders.evaluate(() => void (window as unknown as { received: unknown[] }).received.splice(0));
  await sendToShell(orders, type, { url: `${application}/more`, title: "More", ...payload });
  const dialog = page.getByRole("dialog", { name: "More" });
  await dialog.waitFor();
  await expect.poll(() => page.frames().some((frame) => frame.url() === `${application}/more`)).toBe(true);
  const inner = frameOf(page, `${application}/more`);
  await inner.waitForLoadState();
  const boxOf = async () => (await dialog.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const close = async () => {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  };
  return { ...opened, dialog, inner, boxOf, close };
}

const toast = (id: string) => ({ id, title: `Order ${id} is gone`, action: { label: `Undo ${id}` }, duration: 0 });

describe.skipIf(!hasChromium)("an overlay", () => {
  it("is replaced when its own application opens another overlay, which then remains open", async () => {
    const { page, application, dialog, inner } = await openOver("PLATFORM_OPEN_MODAL");
    await sendToShell(inner, "PLATFORM_OPEN_DRAWER", { url: `${application}/next`, title: "Next" });
    const next = page.getByRole("dialog", { name: "Next" });
    await next.waitFor();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${application}/next`)).toBe(true);
    await frameOf(page, `${application}/next`).waitForLoadState();
    expect(await next.isVisible()).toBe(true);
    await next.getByRole("button", { name: "Close" }).click();
    await next.waitFor({ state: "detached" });
  });
});

describe.skipIf(!hasChromium)("toasts", () => {
  it("appear above the bottom bar of a phone, and at the edge of the window when there is none", async (context) => {
    const { page, orders } = await open(context, { width: 375, height: 700 });
    await sendToShell(orders, "PLATFORM_TOAST", toast("1"));
    const bottomOf = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().bottom);
    await page.getByText("Order 1 is gone").waitFor();
    const bar = await page.locator(".bottom-bar").evaluate((element) => element.getBoundingClientRect().top);
    // The toast's border is one of the eight pixels.
    expect(await bottomOf(".toast")).toBe(bar - 7);
    await page.evaluate(() => {
      history.pushState(null, "", "/login");
      dispatchEvent(new PopStateEvent("popstate"));
    });
    await page.locator(".bottom-bar").waitFor({ state: "detached" });
    expect(await bottomOf(".toasts")).toBe(700);
    expect(await page.locator(".toasts").evaluate((element) => getComputedStyle(element).paddingBottom)).toBe("8px");
  });

  it("can be read, pressed and left by keyboard while a dialog is open, and stay when it closes", async () => {
    const { page, orders, dialog, inner } = await openOver("PLATFORM_OPEN_MODAL");
    await sendToShell(orders, "PLATFORM_TOAST", toast("1"));
    await sendToShell(inner, "PLATFORM_TOAST", toast("2"));
    // Elements inside the open dialog are reachable by users and screen readers; the rest of the page is not.
    await dialog.getByRole("region", { name: "Notifications" }).getByText("Order 2 is gone").waitFor();
    await page.getByRole("button", { name: "Undo 1" }).click();
    await expect.poll(() => receivedBy(orders, "PLATFORM_TOAST_ACTION")).toEqual([{ id: "1" }]);
    await page.getByRole("button", { name: "Undo 2" }).focus();
    await page.keyboard.press("Escape");
    await expect.poll(() => receivedBy(inner, "PLATFORM_TOAST_CLEAR")).toEqual([{ id: "2" }]);
    expect(await dialog.isVisible()).toBe(true);
    await sendToShell(orders, "PLATFORM_TOAST", toast("3"));
    await page.getByText("Order 3 is gone").waitFor();
    expect(await findingsOf(page)).toEqual([]);
    // On a phone, the overlay's content ends above the toasts.
    await page.setViewportSize({ width: 375, height: 800 });
    const edgeOf = (selector: string, edge: "top" | "bottom") =>
      dialog.locator(selector).evaluate((element, name) => element.getBoundingClientRect()[name], edge);
    await expect.poll(() => edgeOf("iframe", "bottom")).toBeLessThanOrEqual(await edgeOf(".toast", "top"));
    await page.setViewportSize({ width: 1440, height: 800 });
    await dialog.getByRole("button", { name: "Close" }).first().click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo 3" }).click();
    await expect.poll(() => receivedBy(orders, "PLATFORM_TOAST_ACTION")).toEqual([{ id: "1" }, { id: "3" }]);
  });

  it("appear above the topmost dialog, and after it closes above the dialog below it", async () => {
    const { page, orders, dialog, inner, close } = await openOver("PLATFORM_OPEN_DRAWER");
    await sendToShell(orders, "PLATFORM_TOAST", toast("1"));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    const palette = page.getByRole("dialog", { name: "Search" });
    await palette.getByText("Order 1 is gone").waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    await dialog.getByText("Order 1 is gone").waitFor();
    await sendToShell(inner, "PLATFORM_DIALOG", { id: "d", title: "Sure?", mode: "ok" });
    const question = page.getByRole("dialog", { name: "Sure?" });
    await question.getByRole("button", { name: "Undo 1" }).click();
    await expect.poll(() => receivedBy(orders, "PLATFORM_TOAST_ACTION")).toEqual([{ id: "1" }]);
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await close();
  });
});

describe.skipIf(!hasChromium)("a dialog of a page in an overlay", () => {
  it("appears under the application's name, whatever the overlay's title is", async () => {
    const { page, inner, dialog } = await openOver("PLATFORM_OPEN_MODAL", { title: "Aster: More" });
    await dialog.waitFor();
    await sendToShell(inner, "PLATFORM_DIALOG", { id: "d", title: "Sure?", mode: "ok" });
    const question = page.getByRole("dialog", { name: "Sure?" });
    await question.getByText("Orders", { exact: true }).waitFor();
    expect(await question.getByText("Aster").count()).toBe(0);
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("appears under the page's origin when that differs from the application's", async (context) => {
    const stranger = await serveApplication(context);
    const { page, orders } = await shared();
    await sendToShell(orders, "PLATFORM_OPEN_DRAWER", { url: `${stranger}/more`, title: "Aster" });
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${stranger}/more`)).toBe(true);
    const inner = frameOf(page, stranger);
    await inner.waitForLoadState();
    await sendToShell(inner, "PLATFORM_DIALOG", { id: "d", title: "Sure?", mode: "ok" });
    const question = page.getByRole("dialog", { name: "Sure?" });
    await question.getByText(stranger, { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});

describe.skipIf(!hasChromium)("an overlay that cannot be dismissed", () => {
  it("stays open however often Escape is pressed", async () => {
    const { page, inner, dialog } = await openOver("PLATFORM_OPEN_MODAL", { dismissible: false });
    for (let time = 0; time < 4; time += 1) await page.keyboard.press("Escape");
    expect(await dialog.evaluate((element) => (element as HTMLDialogElement).open)).toBe(true);
    await sendToShell(inner, "PLATFORM_CLOSE_MODAL");
    await dialog.waitFor({ state: "detached" });
  });
});

describe.skipIf(!hasChromium)("a size that the page in an overlay requests", () => {
  it.for([
    ["right", { width: 700, height: 10_000 }, { width: 700, height: 800 }],
    ["left", { width: 9000, height: 100 }, { width: 1152, height: 800 }],
    ["right", { width: 1, height: 100 }, { width: 280, height: 800 }],
  ] as const)("sets the width of a drawer at the %s: %o", async ([position, requestedWidth, { width, height }]) => {
    const { inner, boxOf, close } = await openOver("PLATFORM_OPEN_DRAWER", { position });
    await sendToShell(inner, "PLATFORM_OVERLAY_SIZE", requestedWidth);
    await expect.poll(boxOf).toMatchObject({ x: position === "left" ? 0 : 1440 - width, width, height });
    await close();
  });

  it.for(["top", "bottom"] as const)("sets the height of a drawer at the %s, within the window", async (position) => {
    const { inner, dialog, boxOf, close } = await openOver("PLATFORM_OPEN_DRAWER", { position });
    const frameHeight = async () => (await dialog.locator("iframe").boundingBox())?.height;
    await sendToShell(inner, "PLATFORM_OVERLAY_SIZE", { height: 312, width: 200 });
    await expect.poll(frameHeight).toBe(312);
    expect((await boxOf()).height).toBeLessThan(400);
    const { width, height, y } = await boxOf();
    expect([width, Math.round(y + (position === "top" ? 0 : height))]).toEqual([1440, position === "top" ? 0 : 800]);
    await sendToShell(inner, "PLATFORM_OVERLAY_SIZE", { height: 20_000 });
    await expect.poll(async () => (await boxOf()).height).toBe(640);
    await sendToShell(inner, "PLATFORM_OVERLAY_SIZE", { height: 5 });
    await expect.poll(async () => (await boxOf()).height).toBeLessThan(300);
    expect((await boxOf()).height).toBeGreaterThan(120);
    await close();
  });

  it.for([
    ["PLATFORM_OPEN_DRAWER", { size: "sm" }],
    ["PLATFORM_OPEN_DRAWER", { position: "top" }],
    ["PLATFORM_OPEN_MODAL", { size: "full" }],
  ] as const)("is ignored on a phone, where every overlay is the same sheet: %s %o", async ([type, payload]) => {
    const { page } = await shared();
    await page.setViewportSize({ width: 375, height: 700 });
    const { inner, boxOf, close } = await openOver(type, payload);
    const sheet = { x: 0, y: 24, width: 375, height: 676 };
    await expect.poll(boxOf).toEqual(sheet);
    await sendToShell(inner, "PLATFORM_OVERLAY_SIZE", { height: 90, width: 320 });
    await expect.poll(() => receivedBy(inner, "PLATFORM_ERROR")).toEqual([]);
    expect(await boxOf()).toEqual(sheet);
    await close();
    await page.setViewportSize({ width: 1440, height: 800 });
  });
});

import type { Browser, Frame } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { hasChromium, launchWithSiteIsolation } from "../support/platform/chromium.ts";
import { frameOf, sendToShell, serveApplication } from "../support/shell/application.ts";
import { openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  // With site isolation, because browsers keep the focus out of frames in the same process without any code of the shell.
  browser = await launchWithSiteIsolation();
});
afterAll(async () => await browser?.close());

const typed = (frame: Frame) => frame.getByLabel("Typed").inputValue();

describe.skipIf(!hasChromium)("an overlay over a cross-site application", () => {
  it.for(["PLATFORM_OPEN_MODAL", "PLATFORM_OPEN_DRAWER"])("keeps the focus inside: %s", async (type, context) => {
    const application = await serveApplication(context, "127.0.0.1");
    const navigation = [{ label: "Orders", path: "orders", url: `${application}/app` }];
    const { page } = await openShell(context, browser, { navigation }, { path: "/orders" });
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${application}/app`)).toBe(true);
    const covered = frameOf(page, `${application}/app`);
    await covered.getByLabel("Typed").click();
    await sendToShell(covered, type, { url: `${application}/more`, title: "More" });
    const dialog = page.getByRole("dialog", { name: "More" });
    await expect.poll(() => page.frames().some((frame) => frame.url() === `${application}/more`)).toBe(true);
    const inner = frameOf(page, `${application}/more`);
    const close = dialog.getByRole("button", { name: "Close" });
    await inner.getByLabel("Typed").waitFor();

    const focused: string[] = [];
    await close.focus();
    for (let time = 1; time <= 9; time += 1) {
      await page.keyboard.press("Tab");
      await page.keyboard.type("x");
      // While the focus moves between frames of different processes, no element has it.
      const title = () => page.evaluate(() => document.activeElement?.getAttribute("title") ?? "nothing");
      await expect.poll(title).not.toBe("nothing");
      focused.push(await title());
    }
    expect(await typed(covered)).toBe("");
    expect(await typed(inner)).toBe("x");
    expect(new Set(focused)).toEqual(new Set(["More", "Close"]));

    await close.focus();
    await page.keyboard.press("Shift+Tab");
    await expect.poll(() => inner.evaluate(() => document.hasFocus())).toBe(true);
    await close.click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => covered.evaluate(() => document.hasFocus())).toBe(true);
    await covered.getByLabel("Typed").click();
    await page.keyboard.type("y");
    expect(await typed(covered)).toBe("y");
  });
});

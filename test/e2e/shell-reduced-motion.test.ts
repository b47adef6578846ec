import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { frameOf, sendToShell, serveApplication } from "../support/shell/application.ts";
import { fakeBackendUrl, routeBackend, sessionAt } from "../support/shell/fake-identity.ts";
import { startShellSite } from "../support/shell/shell-site.ts";

let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
});
afterAll(async () => await browser?.close());

/** Returns animations and transitions, running or declared, that are long enough to be visible. */
const moving = (page: Page) =>
  page.evaluate(() => {
    const longest = (text: string) => Math.max(...text.split(",").map((part) => Number.parseFloat(part)));
    const running = document
      .getAnimations()
      .map(({ effect }) => effect?.getComputedTiming().duration)
      .filter((duration) => Number(duration) > 1);
    const styled = [...document.querySelectorAll("*")].flatMap((element) =>
      [undefined, "::before", "::after"].flatMap((part) => {
        const { transitionDuration, animationDuration, animationName, scrollBehavior } = getComputedStyle(
          element,
          part,
        );
        const isMoving =
          longest(transitionDuration) > 0.001 || (animationName !== "none" && longest(animationDuration) > 0.001);
        return isMoving || scrollBehavior === "smooth" ? [`${element.tagName}.${element.className}${part ?? ""}`] : [];
      }),
    );
    return { running, styled: [...new Set(styled)] };
  });

describe.skipIf(!hasChromium)("reduced motion", () => {
  it.for([
    [1440, true],
    [375, true],
    [375, false],
  ] as const)("shows no animation at %i px, signed in: %s", async ([width, isSignedIn], context) => {
    const application = await serveApplication(context);
    const site = await startShellSite(
      { type: "platform", url: fakeBackendUrl, companyId: 1 },
      {
        navigation: [
          { label: "Orders", path: "orders", url: `${application}/app` },
          { title: "More", items: [{ label: "Home", path: "home", url: "/__welcome" }] },
        ],
        storage: { url: fakeBackendUrl },
      },
    );
    context.onTestFinished(() => site.close());
    const { page, context: browserContext } = await openPage(browser);
    context.onTestFinished(() => browserContext.close());
    await routeBackend(browserContext);
    if (isSignedIn)
      await browserContext.addInitScript(
        (record) => top === window && localStorage.setItem("platform:session", record),
        sessionAt(fakeBackendUrl),
      );
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ reducedMotion: "reduce" });
    const animated: Record<string, unknown> = {};
    const look = async (name: string) => {
      animated[name] = await moving(page);
    };
    if (!isSignedIn) {
      await page.goto(`${site.url}/login`);
      await page.getByLabel("Email address").waitFor();
      await look("sign-in");
    } else {
      await page.goto(`${site.url}/__settings/storage`);
      await page.getByRole("meter").first().waitFor();
      await look("settings");
      await page.goto(`${site.url}/orders`);
      await expect.poll(() => page.frames().filter((frame) => frame.url().endsWith("/app")).length).toBe(1);
      const orders = frameOf(page, application);
      await orders.waitForLoadState();
      await sendToShell(orders, "PLATFORM_TOAST", { id: "1", title: "Sending 3 orders", kind: "loading" });
      await page.locator(".toast").waitFor();
      await look("toast that loads");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").waitFor();
      await look("palette");
      await page.keyboard.press("Escape");
      await sendToShell(orders, "PLATFORM_OPEN_DRAWER", { url: "/__settings", title: "Settings" });
      await page.getByRole("dialog").waitFor();
      await look("drawer");
      await page.keyboard.press("Escape");
      await sendToShell(orders, "PLATFORM_DIALOG", { id: "2", title: "Delete?", mode: "delete" });
      await page.getByRole("dialog").getByText("Delete?").waitFor();
      await look("question");
    }
    const noMotion = { running: [], styled: [] };
    expect(animated).toEqual(Object.fromEntries(Object.keys(animated).map((name) => [name, noMotion])));
  });
});

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { hasChromium, launchChromium } from "../support/platform/chromium.ts";
import { frameOf, sendToShell, serveApplication } from "../support/shell/application.ts";
import { openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

type FadeIn = { names: string[]; longest: number };

/** Records the participants and the longest animation (ms) of every view transition. */
const watch = (browserContext: BrowserContext) =>
  browserContext.addInitScript(() => {
    const fadeIns: FadeIn[] = [];
    Object.assign(window, { fadeIns });
    const start = document.startViewTransition;
    document.startViewTransition = (...args) => {
      const transition = start.apply(document, args);
      void transition.ready.then(() => {
        const effects = document
          .getAnimations()
          .flatMap(({ effect }) => (effect instanceof KeyframeEffect ? effect : []));
        const pictures = effects.filter(({ pseudoElement }) => pseudoElement?.startsWith("::view-transition-"));
        const names = pictures.map(({ pseudoElement }) => /\((.*)\)/.exec(pseudoElement ?? "")?.[1] ?? "");
        const longest = Math.max(...pictures.map((effect) => Number(effect.getComputedTiming().endTime)));
        fadeIns.push({ names: [...new Set(names)].toSorted(), longest });
      });
      return transition;
    };
  });
const readFadeIns = (page: Page) => page.evaluate(() => (window as unknown as { fadeIns: FadeIn[] }).fadeIns);

async function open(context: TestContext, options: { reducedMotion?: "reduce"; without?: boolean } = {}) {
  const application = await serveApplication(context);
  const navigation = [
    { label: "Orders", path: "orders", url: `${application}/app` },
    { label: "Reports", path: "reports", url: `${application}/reports` },
    { label: "Home", path: "home", url: "/__welcome" },
    { label: "Settings", path: "settings", url: "/__settings" },
  ];
  const { without = false, reducedMotion = "no-preference" } = options;
  const prepare = (browserContext: BrowserContext) =>
    without
      ? browserContext.addInitScript(() => Reflect.deleteProperty(Document.prototype, "startViewTransition"))
      : watch(browserContext);
  const opened = await openShell(context, browser, { navigation }, { path: "/orders", prepare, reducedMotion });
  const { page } = opened;
  await expect.poll(() => page.frames().some((frame) => frame.url() === `${application}/app`)).toBe(true);
  await page.locator(".frame-cover").waitFor({ state: "detached" });
  const openLink = async (name: string) => await page.getByRole("link", { name, exact: true }).first().click();
  return { ...opened, application, orders: frameOf(page, `${application}/app`), openLink };
}

/** Navigates through views of the shell, each of which focuses its heading. */
async function walk({ page, openLink }: Awaited<ReturnType<typeof open>>) {
  for (const [name, heading] of [
    ["Home", "Welcome to Aster"],
    ["Settings", "Appearance and language"],
    ["Data and privacy", "Data and privacy"],
  ] as const) {
    await openLink(name);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(heading);
  }
}

describe.skipIf(!hasChromium)("view transitions", () => {
  it("animate only the view, the connection notice and the toasts, in under 150 ms, when the user opens another view of the shell", async (context) => {
    const opened = await open(context);
    const { page, errors } = opened;
    await walk(opened);
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.fading)).toBeUndefined();
    const transitions = await readFadeIns(page);
    expect(transitions).toHaveLength(2);
    for (const { names, longest } of transitions) {
      expect(names.toSorted()).toEqual(["connection", "toasts", "view"]);
      expect(longest).toBeLessThan(150);
    }
    expect(errors).toEqual([]);
  });

  it("never animate applications: frames switch immediately and stay active while an overlay fades out", async (context) => {
    const { page, orders, application, openLink, errors } = await open(context);
    await openLink("Reports");
    await page.waitForURL(/\/reports$/);
    await openLink("Orders");
    await openLink("Home");
    await page.getByRole("heading", { level: 1, name: "Welcome to Aster" }).waitFor();
    await openLink("Orders");
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor({ state: "attached" });
    expect(await readFadeIns(page)).toEqual([]);
    await sendToShell(orders, "PLATFORM_OPEN_DRAWER", { url: `${application}/more`, title: "More" });
    const drawer = page.getByRole("dialog", { name: "More" });
    await drawer.waitFor();
    await drawer.getByRole("button", { name: "Close" }).click();
    await drawer.waitFor({ state: "detached" });
    await expect.poll(() => readFadeIns(page)).toEqual([{ names: ["overlay"], longest: expect.any(Number) as number }]);
    expect((await readFadeIns(page))[0]?.longest).toBeLessThan(150);
    expect(errors).toEqual([]);
  });

  it("are off for users who prefer reduced motion", async (context) => {
    const opened = await open(context, { reducedMotion: "reduce" });
    await walk(opened);
    expect(await readFadeIns(opened.page)).toEqual([]);
  });

  it("are off in browsers without support", async (context) => {
    const opened = await open(context, { without: true });
    await walk(opened);
    expect(opened.errors).toEqual([]);
  });
});

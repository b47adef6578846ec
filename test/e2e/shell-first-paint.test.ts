import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { runBuild } from "../../cli/commands/build.ts";
import { configText } from "../bench/shell/project.ts";
import { makeProject } from "../support/cli/project.ts";
import { serveStatic } from "../support/cli/static-server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import { fakeBackendUrl, routeBackend } from "../support/shell/fake-identity.ts";
import { type ShellSite, startShellSite } from "../support/shell/shell-site.ts";

let browser: Browser;
let site: ShellSite;
beforeAll(async () => {
  if (!hasChromium) return;
  browser = await launchChromium();
  const panel = { panelImage: "/panel.png" };
  site = await startShellSite(
    { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["magic_link", "oauth"], ...panel } },
    { legalDocuments: { privacyPolicy: "# Privacy" } },
  );
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Opens a page whose external scripts wait until they are released. Inline scripts run. */
async function openWaiting(context: TestContext, width: number) {
  const opened = await openPage(browser);
  context.onTestFinished(() => opened.context.close());
  await opened.page.setViewportSize({ width, height: 800 });
  await routeBackend(opened.context);
  const releaseScripts = await holdScripts(opened.context);
  const requests: string[] = [];
  opened.page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  return { ...opened, releaseScripts, requests };
}

async function holdScripts(context: BrowserContext): Promise<() => void> {
  let releaseScripts = () => {};
  const free = new Promise<void>((done) => {
    releaseScripts = done;
  });
  await context.route("**/assets/*.js", async (route) => {
    await free;
    await route.fallback();
  });
  return releaseScripts;
}

/** Returns the positions of the elements that must not move after the first paint. */
const places = (page: Page) =>
  Promise.all(
    [".brand", "h1", ".login footer a"].map((part) => page.locator(part).locator("visible=true").boundingBox()),
  );

/** Returns the cumulative layout shift of the page. */
const shiftOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        new PerformanceObserver((list) =>
          done(
            list.getEntries().reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0),
          ),
        ).observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => done(0)));
      }),
  );

describe.skipIf(!hasChromium)("the first paint", () => {
  it.for([375, 1440])(
    "shows the sign-in before any external script runs, and moves nothing afterwards: %i px",
    async (width, context) => {
      const { page, releaseScripts, requests, errors } = await openWaiting(context, width);
      await page.goto(`${site.url}/login`, { waitUntil: "commit" });
      await page.getByRole("heading", { level: 1, name: "Sign in to Aster" }).waitFor();
      expect(await page.locator(".shell").isVisible()).toBe(false);
      expect(await page.locator(".login .skeleton:visible").count()).toBe(3);
      expect(requests).not.toContain("/panel.png");
      // Scripts that only this page needs are preloaded in parallel.
      await expect.poll(() => requests.filter((path) => path.startsWith("/assets/login-view-"))).toHaveLength(1);
      const before = await places(page);
      releaseScripts();
      await page.getByLabel("Email address").waitFor();
      expect(await places(page)).toEqual(before);
      expect(await shiftOf(page)).toBeLessThanOrEqual(0.02);
      expect(await page.locator("#sign-in").count()).toBe(0);
      await expect.poll(() => requests.includes("/panel.png")).toBe(width === 1440);
      // The image does not exist, and its space stays empty without the symbol of a broken image.
      if (width === 1440) await expect.poll(() => page.locator(".login-panel img").count()).toBe(0);
      expect(await places(page)).toEqual(before);
      expect(errors).toEqual([]);
    },
  );

  it("shows no form on the callback page", async (context) => {
    const { page, releaseScripts, requests } = await openWaiting(context, 1440);
    await page.goto(`${site.url}/login/callback?platform_oauth_error_code=oauth_failed`, { waitUntil: "commit" });
    await page.locator(".login .brand").waitFor();
    expect(await page.locator(".shell, .login h1").filter({ visible: true }).count()).toBe(0);
    await expect.poll(() => requests.some((path) => path.startsWith("/assets/callback-view-"))).toBe(true);
    releaseScripts();
    await page.getByRole("heading", { level: 1 }).waitFor();
  });

  it("has at most 14,000 bytes of compressed HTML and a boot script of at most 1,520 characters", async () => {
    const html = await (await fetch(`${site.url}/`)).text();
    expect(gzipSync(html, { level: 9 }).length).toBeLessThanOrEqual(14_000);
    const [, boot = ""] = /<script data-view[^>]*>(.*?)<\/script>/s.exec(html) ?? [];
    expect(boot.length).toBeGreaterThan(500);
    expect(boot.length).toBeLessThanOrEqual(1_520);
  });

  it("loads at most 70 KB for the sign-in page, and the shell's layout only after the user's first input", async (context) => {
    const config = configText({ application: "https://application.example", identity: fakeBackendUrl });
    const root = makeProject(context, { "platform.config.ts": config });
    const silent = { out: () => undefined, err: () => undefined };
    expect(await runBuild({ root, target: "web", isStrict: true }, silent, root)).toBe(0);
    const origin = await serveStatic(context, join(root, "dist/web"));
    const { page, context: browserContext } = await openPage(browser);
    context.onTestFinished(() => browserContext.close());
    await routeBackend(browserContext);
    const responses: Response[] = [];
    page.on("response", (response) => response.url().startsWith(origin) && responses.push(response));
    const hasLayout = () => responses.some((response) => /\/(?:sidebar|layout)-/.test(response.url()));
    await page.goto(`${origin}/login/`, { waitUntil: "networkidle" });
    await page.getByLabel("Email address").waitFor();
    const bodies = await Promise.all(responses.map((response) => response.body()));
    const size = bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0);
    console.log(`/login: ${size} bytes in ${bodies.length} files`);
    expect(size).toBeGreaterThan(50_000);
    expect(size).toBeLessThanOrEqual(70_000);
    expect(hasLayout()).toBe(false);
    await page.getByLabel("Email address").press("m");
    await expect.poll(hasLayout).toBe(true);
  });

  it("shows the navigation on every other page and loads no part of the sign-in", async (context) => {
    const { page, releaseScripts, requests } = await openWaiting(context, 1440);
    await page.goto(`${site.url}/home`, { waitUntil: "commit" });
    await page.getByRole("link", { name: "Home" }).waitFor();
    expect(await page.locator(".login").isVisible()).toBe(false);
    releaseScripts();
    await page.getByRole("heading", { level: 1, name: "Welcome to Aster" }).waitFor();
    expect(await page.locator(".login").count()).toBe(0);
    expect(requests.filter((path) => /login|callback|panel/.test(path))).toEqual([]);
  });

  it("shows only a link that opens a new tab when another site embeds the shell in a frame", async (context) => {
    const { page, context: browserContext, releaseScripts } = await openWaiting(context, 1440);
    releaseScripts();
    await browserContext.route("https://outside.example/", (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${site.url}/login"></iframe>` }),
    );
    await browserContext.route(`${site.url}/login`, async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers() };
      delete headers["content-security-policy"];
      await route.fulfill({ response, headers });
    });
    await page.goto("https://outside.example/");
    const frame = page.frameLocator("iframe");
    await frame.getByRole("link", { name: "Open in new tab" }).waitFor();
    expect(await frame.locator(".login").isVisible()).toBe(false);
  });
});

import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { runBuild } from "../../cli/commands/build.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { serveStatic } from "../support/cli/static-server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { frameOf, receivedBy, sendToShell, serveApplication } from "../support/shell/application.ts";
import { fakeBackendUrl, routeBackend, sessionAt, tokensOf } from "../support/shell/fake-identity.ts";
import { account } from "../support/shell/shell-site.ts";

// These tests open the shell at a network address without HTTPS, where browsers offer no Web Locks, no `crypto.subtle`
// and no `randomUUID`.

const host = "shell.example";
/** Lifetime of an access token, in seconds. */
const LIFETIME_SECONDS = 900;

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium(undefined, host);
});
afterAll(async () => await browser?.close());

/** Opens a built shell under a network name, in a browser that is signed in or signed out. */
async function openShell(context: TestContext, isSignedIn: boolean) {
  const application = await serveApplication(context);
  const config = {
    title: "Aster",
    navigation: [
      { label: "Orders", path: "orders", url: "/__welcome", requiresAuth: true },
      { label: "Files", path: "files", url: application, safeForAuthToken: true },
    ],
    backend: { type: "platform", url: fakeBackendUrl, companyId: 1, login: { methods: ["oauth"] } },
    storage: { url: fakeBackendUrl },
  };
  const root = makeProject(context, { "platform.config.json": JSON.stringify(config) });
  const silent = { out: () => undefined, err: () => undefined };
  expect(await runBuild({ root, target: "web", isStrict: false }, silent, root)).toBe(0);
  const { port } = new URL(await serveStatic(context, join(root, "dist/web")));
  const shell = `http://${host}:${port}`;
  const { page, context: browserContext } = await openPage(browser);
  context.onTestFinished(() => browserContext.close());
  await routeBackend(browserContext, { "/storage/v1/bucket": { body: [{ name: "company" }] } });
  const sent: unknown[] = [];
  // Collects the tabs that read the lease of a refresh, and those that released it.
  const [looking, done] = [new Set<Page>(), new Set<Page>()];
  await browserContext.exposeBinding(
    "noteLease",
    ({ page: tab }, isDone: boolean) => void (isDone ? done : looking).add(tab),
  );
  await browserContext.addInitScript(() => {
    const note = (key: string, isDone: boolean) => {
      if (key === "platform:refresh-lock")
        (window as unknown as { noteLease: (isDone: boolean) => void }).noteLease(isDone);
    };
    const { getItem, removeItem } = Storage.prototype;
    Storage.prototype.getItem = function (key) {
      note(key, false);
      return getItem.call(this, key);
    };
    Storage.prototype.removeItem = function (key) {
      removeItem.call(this, key);
      note(key, true);
    };
  });
  await browserContext.route(`${fakeBackendUrl}/api/v1/token*`, async (route) => {
    sent.push(route.request().postDataJSON()?.refresh_token);
    // A tab that ignored the lease would now send its own request.
    await expect.poll(() => looking.size).toBe(browserContext.pages().length);
    const body = { ...tokensOf(), refresh_token: `prt_${sent.length}`, expires_in: LIFETIME_SECONDS };
    await route.fulfill({ headers: { "Access-Control-Allow-Origin": "*" }, json: body });
  });
  if (isSignedIn) {
    await page.goto(`${shell}/offline.html`);
    await page.evaluate((record) => localStorage.setItem("platform:session", record), sessionAt(fakeBackendUrl));
  }
  return { page, browserContext, shell, application, sent, looking, done };
}

const generation = (page: Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem("platform:session") ?? "{}").generation as number);

describe.skipIf(!hasChromium)("a shell without HTTPS", () => {
  it("refreshes once for all of its tabs, when they open and when their tokens are due", async (context) => {
    const { page, browserContext, shell, sent, looking, done } = await openShell(context, true);
    const tabs = [page, await browserContext.newPage(), await browserContext.newPage()];
    await Promise.all(tabs.map((tab) => tab.goto(`${shell}/orders`)));
    expect(await page.evaluate(() => [isSecureContext, "locks" in navigator])).toEqual([false, false]);
    for (const tab of tabs) await account(tab).waitFor();
    expect(sent).toEqual(["prt_7"]);
    await expect.poll(() => done.size).toBe(tabs.length);
    looking.clear();
    done.clear();
    const time = Date.now() + (LIFETIME_SECONDS - 60) * 1000;
    await Promise.all(tabs.map((tab) => tab.clock.setFixedTime(time)));
    await Promise.all(tabs.map((tab) => tab.evaluate(() => void dispatchEvent(new Event("focus")))));
    await expect.poll(() => generation(page)).toBe(3);
    // A tab that waited for the lease releases it after reading the record.
    await expect.poll(() => done.size).toBe(tabs.length);
    expect(sent).toEqual(["prt_7", "prt_1"]);
    expect(await generation(page)).toBe(3);
    expect(await page.evaluate(() => localStorage.getItem("platform:refresh-lock"))).toBeNull();
  });

  it("refreshes its token after a tab with the lease was closed", async (context) => {
    const { page, shell, sent } = await openShell(context, true);
    await page.evaluate(() => {
      const until = Date.now() + 3000;
      localStorage.setItem("platform:refresh-lock", JSON.stringify({ owner: "gone", until }));
    });
    const startedAt = performance.now();
    await page.goto(`${shell}/orders`);
    await account(page).waitFor();
    expect(performance.now() - startedAt).toBeGreaterThan(2000);
    expect(sent).toEqual(["prt_7"]);
  });

  it("signs in with a PKCE challenge and calls the storage", async (context) => {
    const { page, shell, application, sent } = await openShell(context, false);
    await page.goto(`${shell}/login?next=/files`);
    const authorizeRequest = page.waitForRequest((request) =>
      request.url().startsWith(`${fakeBackendUrl}/api/v1/authorize`),
    );
    await page.getByRole("button", { name: "Continue with GitHub" }).click();
    const query = new URL((await authorizeRequest).url()).searchParams;
    expect(query.get("code_challenge")).toMatch(/^[\w-]{43}$/);
    await page.goto(`${query.get("redirect_to")}&platform_auth_code=code`);
    await page.waitForURL(`${shell}/files`);
    await expect.poll(() => page.frames().some((frame) => frame.url().startsWith(application))).toBe(true);
    const files = frameOf(page, application);
    await files.waitForLoadState();
    await sendToShell(files, "PLATFORM_STORAGE_REQUEST", { id: "1", op: "listBuckets" });
    await expect
      .poll(() => receivedBy(files, "PLATFORM_STORAGE_RESPONSE"))
      .toEqual([{ id: "1", data: [{ name: "company" }] }]);
    expect(sent).toEqual([]);
  });
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { createAppProject } from "../support/apps/app-project";
import { makeProject } from "../support/cli/project";
import { serveStatic } from "../support/cli/static-server";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import type { Platform } from "../support/platform/platform";
import { signInAt } from "../support/platform/platform-session";
import { sharePlatform } from "../support/platform/shared-platform";

let platform: Platform;
let browser: Browser;
let token = "";

beforeAll(async () => {
  if (!hasChromium) return;
  [platform, browser] = await Promise.all([sharePlatform(), launchChromium()]);
  token = await signInAt(platform, "owner@example.com");
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
});

const open = async (context: TestContext) => {
  const opened = await openPage(browser);
  context.onTestFinished(() => opened.context.close());
  return opened;
};

const heading = (page: Page, text: string) => page.getByRole("heading", { name: text, exact: true });

describe.skipIf(!hasChromium)("an open tab", () => {
  it("loads a chunk of its deployment after two more deployments, and the new page after a reload", async (context) => {
    const app = createAppProject(context, platform, token, "browser-skew");
    app.writePage("one");
    await app.build();
    const { url } = await app.deploy();
    const { page, errors } = await open(context);
    await page.goto(url);
    await heading(page, "Notes one").waitFor();
    for (const version of ["two", "three"]) {
      app.writePage(version);
      await app.build();
      await app.deploy();
    }
    // Another tab has the new deployment, whose manifest does not name the chunk of the first one.
    const { page: other } = await open(context);
    await expect
      .poll(async () => {
        await other.goto(url);
        return await other.getByRole("heading").textContent();
      })
      .toBe("Notes three");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("Lazy text of one of browser-skew.").waitFor();
    await page.reload();
    await heading(page, "Notes three").waitFor();
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("Lazy text of three of browser-skew.").waitFor();
    expect(errors).toEqual([]);
  });
});

describe.skipIf(!hasChromium)("a page with an app in a frame", () => {
  it("shows the app on an origin that the company allows, and on no other", async (context) => {
    const app = createAppProject(context, platform, token, "browser-frames");
    app.write({ "dist/index.html": "<h1>Framed</h1>" });
    const { url } = await app.deploy();
    const outside = makeProject(context, { "index.html": `<h1>Outside</h1><iframe src="${url}"></iframe>` });
    const shell = await serveStatic(context, outside, { port: platform.shellPort });
    const stranger = await serveStatic(context, outside);
    const { page } = await open(context);
    await page.goto(shell);
    await page.frameLocator("iframe").getByText("Framed").waitFor();
    const blocked = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(stranger);
    await blocked;
    await heading(page, "Outside").waitFor();
    expect(page.frames().map((frame) => frame.url())).not.toContain(`${url}/`);
    expect(await page.frameLocator("iframe").getByText("Framed").count()).toBe(0);
  });
});

describe.skipIf(!hasChromium)("the cookies of an app", () => {
  it("are neither those of the platform nor of another app, and it can set none for them", async (context) => {
    const [first, second] = ["browser-cookies-1", "browser-cookies-2"].map((name) => {
      const app = createAppProject(context, platform, token, name);
      app.write({ "dist/index.html": "<h1>Cookies</h1>" });
      return app;
    });
    if (!first || !second) throw new Error("no apps");
    const urls = [(await first.deploy()).url, (await second.deploy()).url];
    const [url = "", otherUrl = ""] = urls;
    const { page, context: browserContext } = await open(context);
    await browserContext.addCookies([
      { name: "platform", value: "1", url: `${platform.url}/identity` },
      { name: "other", value: "1", url: otherUrl },
    ]);
    await page.goto(url);
    const cookies = await page.evaluate(`
      document.cookie = "own=1; path=/";
      for (const domain of ["localhost", ".localhost", "${new URL(otherUrl).hostname}"])
        document.cookie = "stolen=1; path=/; domain=" + domain;
      document.cookie`);
    expect(cookies).toBe("own=1");
    const stored = await browserContext.cookies();
    expect(stored.map(({ name, domain }) => [name, domain]).toSorted()).toEqual(
      [
        ["other", new URL(otherUrl).hostname],
        ["own", new URL(url).hostname],
        ["platform", "localhost"],
      ].toSorted(),
    );
  });

  it("open a single deployment for a member, by a link that works once", async (context) => {
    const app = createAppProject(context, platform, token, "browser-visit");
    app.write({ "dist/index.html": "<h1>For members</h1>" });
    const { deployment_id, deployment_url } = await app.deploy();
    const visit = await fetch(`${platform.url}/hosting/v1/apps/browser-visit/deployments/${deployment_id}/visit`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
    });
    expect(visit.status).toBe(200);
    const link = ((await visit.json()) as { url: string }).url;
    const { page, context: browserContext } = await open(context);
    await page.goto(deployment_url);
    expect(await heading(page, "For members").count()).toBe(0);
    await page.goto(link);
    await heading(page, "For members").waitFor();
    expect(page.url()).not.toContain("token");
    expect(await page.evaluate("document.cookie")).toBe("");
    const [cookie] = await browserContext.cookies();
    expect(cookie).toMatchObject({ domain: new URL(deployment_url).hostname, path: "/", httpOnly: true });
    await page.goto(deployment_url);
    await heading(page, "For members").waitFor();
    const { page: stranger } = await open(context);
    await stranger.goto(link);
    expect(await heading(stranger, "For members").count()).toBe(0);
  });
});

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { runBuild } from "../../cli/commands/build.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { findFreePort } from "../../scripts/support/processes/ports.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { serveStatic } from "../support/cli/static-server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { findingsOf } from "../support/shell/axe.ts";
import { openShell } from "../support/shell/open-shell.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const helloScript = `<script>parent.postMessage({ type: "PLATFORM_SETTINGS_REQUESTED", v: 1, payload: { sdk: "x" } }, "*")</script>`;

/** Serves an application on its own port until the test ends; `calls` lists the requests, such as `GET /app`. */
async function serve(
  { onTestFinished }: TestContext,
  port: number,
  respond: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end(),
) {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    if (request.url !== "/favicon.ico") calls.push(`${request.method} ${request.url}`);
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    respond(request, response);
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return calls;
}

const itemsAt = (port: number) => [{ label: "Orders", path: "orders", url: `http://localhost:${port}/app` }];
const open = (
  context: TestContext,
  port: number,
  prepare: (browserContext: BrowserContext) => Promise<unknown> = async () => undefined,
) =>
  openShell(
    context,
    browser,
    { navigation: itemsAt(port) },
    // Does not wait for the load event, because that needs the frame's response.
    { path: "/orders", bypassCSP: false, prepare, waitUntil: "domcontentloaded" },
  );

/** Records in the page whether a frame was ever visible without a cover. */
const watchFrames = (browserContext: BrowserContext) =>
  browserContext.addInitScript(() => {
    const look = () => {
      const isVisible = document.querySelector(".frame-room iframe") && !document.querySelector(".frame-cover");
      if (isVisible) Object.assign(window, { frameWasVisible: true });
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
const wasVisible = (page: Page) => page.evaluate(() => "frameWasVisible" in window);

describe.skipIf(!hasChromium)("an application whose server does not respond", () => {
  it("is immediately replaced by an error card, and opens by itself when the server is back", async (context) => {
    const port = await findFreePort();
    const { page } = await open(context, port, watchFrames);
    const card = page.getByRole("alert");
    await card.getByRole("heading", { name: "Orders cannot be reached" }).waitFor();
    await card.getByText(`http://localhost:${port}`).waitFor();
    expect(await card.getByRole("link", { name: "Open in new tab" }).getAttribute("href")).toContain(`:${port}/app`);
    expect(await wasVisible(page)).toBe(false);
    await serve(context, port, (_, response) => response.end("<p>Here"));
    await card.waitFor({ state: "detached" });
    await page.frameLocator(".frame-room iframe").getByText("Here").waitFor();
  });

  it("is requested again by the button, and when the user returns to it", async (context) => {
    const port = await findFreePort();
    const { page } = await open(context, port);
    const card = page.getByRole("alert");
    await card.getByRole("button", { name: "Retry" }).click();
    await card.getByRole("heading", { name: "Orders cannot be reached" }).waitFor();
    await page.evaluate(() => history.pushState(null, "", "/__settings"));
    await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
    await card.waitFor({ state: "detached" });
    await serve(context, port, (_, response) => response.end("<p>Here"));
    await page.getByRole("link", { name: "Orders" }).first().click();
    await page.frameLocator(".frame-room iframe").getByText("Here").waitFor();
    await page.locator(".frame-cover").waitFor({ state: "detached" });
  });

  it("shows its error in French on a phone in dark mode, without axe violations", async (context) => {
    const port = await findFreePort();
    const { page } = await openShell(
      context,
      browser,
      { navigation: itemsAt(port) },
      { path: "/orders", locale: "fr-FR", viewport: { width: 375, height: 700 }, colorScheme: "dark", bypassCSP: true },
    );
    await page.getByRole("heading", { name: "Orders est injoignable" }).waitFor();
    expect(await findingsOf(page)).toEqual([]);
  });
});

describe.skipIf(!hasChromium)("an application whose server responds", () => {
  it("loads once; its origin is probed once, or never if the application uses the library", async (context) => {
    for (const [body, expectedRequests] of [
      ["<p>Plain", ["GET /app", "HEAD /"]],
      [`<p>Speaking${helloScript}`, ["GET /app"]],
    ] as const) {
      const port = await findFreePort();
      const calls = await serve(context, port, (_, response) => response.end(body));
      const { page, errors } = await open(context, port, (browserContext) => browserContext.clock.install());
      const heads: string[] = [];
      page.on("request", (request) => request.method() === "HEAD" && heads.push(request.url()));
      await page.locator(".frame-cover").waitFor({ state: "detached" });
      await expect.poll(() => calls).toEqual(expectedRequests);
      // Gives the shell time for any further request or error.
      await page.clock.fastForward(60_000);
      expect(await page.getByRole("alert").count()).toBe(0);
      expect(heads).toHaveLength(expectedRequests.length - 1);
      expect(calls).toEqual(expectedRequests);
      expect(errors).toEqual([]);
    }
  });

  it("shows a line at its edge while its page loads", async (context) => {
    const port = await findFreePort();
    let arrive: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    // The server also responds to the shell's reachability probes.
    await serve(context, port, ({ method }, response) => {
      if (method === "HEAD") response.end();
      else void arrival.then(() => response.end("<p>Here"));
    });
    const { page } = await open(context, port);
    const line = page.getByRole("progressbar", { name: "Loading" });
    await line.waitFor();
    expect(await page.locator(".frame-cover").count()).toBe(0);
    arrive();
    await line.waitFor({ state: "detached" });
  });

  it.for<[string, Parameters<typeof serve>[2]]>([
    ["redirects elsewhere", (_, response) => response.writeHead(302, { Location: "https://sign-in.example/" }).end()],
    [
      "does not support HEAD",
      ({ method, socket }, response) => (method === "HEAD" ? socket.destroy() : response.end("<p>Here")),
    ],
    [
      "responds after two seconds",
      ({ method }, response) => (method === "HEAD" ? setTimeout(() => response.end(), 2000) : response.end("<p>Here")),
    ],
    ["responds with an error", (_, response) => response.writeHead(500).end("<p>Broken")],
  ])("is shown when its origin %s", async ([, respond], context) => {
    const port = await findFreePort();
    await serve(context, port, (request, response) =>
      request.url === "/app" ? response.end("<p>Here") : respond?.(request, response),
    );
    let finishedProbes = 0;
    const countProbe = (request: Request) => {
      if (request.method() === "HEAD") finishedProbes += 1;
    };
    const { page } = await open(context, port, async (browserContext) =>
      browserContext.on("requestfinished", countProbe).on("requestfailed", countProbe),
    );
    await page.frameLocator(".frame-room iframe").getByText("Here").waitFor();
    await page.locator(".frame-cover").waitFor({ state: "detached" });
    await expect.poll(() => finishedProbes).toBeGreaterThan(0);
    expect(await page.locator(".frame-cover").count()).toBe(0);
  });
});

describe.skipIf(!hasChromium)("a build", () => {
  it("probes only the origins that its policy allows, and shows only a link out in a foreign frame", async (context) => {
    const [listed, other] = [await findFreePort(), await findFreePort()];
    const config = {
      title: "Aster",
      navigation: [
        { label: "Listed", path: "listed", url: `http://localhost:${listed}/` },
        { label: "Other", path: "other", url: `http://localhost:${other}/` },
      ],
      security: { connectOrigins: [`http://localhost:${listed}`] },
    };
    const root = makeProject(context, { "platform.config.json": JSON.stringify(config) });
    const silent = { out: () => undefined, err: () => undefined };
    expect(await runBuild({ root, target: "web", isStrict: false }, silent, root)).toBe(0);
    const origin = await serveStatic(context, join(root, "dist/web"));
    const { page, errors } = await openPage(browser);
    context.onTestFinished(() => page.context().close());
    await page.goto(`${origin}/listed/`);
    await page.getByRole("heading", { name: "Listed cannot be reached" }).waitFor();
    await page.goto(`${origin}/other/`);
    await page.locator(".frame-room iframe").waitFor();
    await page.locator(".frame-cover").waitFor({ state: "detached" });
    expect(errors).toEqual([]);

    // Without the headers of the build, a foreign page can frame the shell, which then shows only the link out of the
    // frame.
    for (const [locale, colorScheme, text] of [
      ["en-GB", "light", "Open in new tab"],
      ["fr-FR", "dark", "Ouvrir dans un nouvel onglet"],
    ] as const) {
      const foreign = await openPage(browser, { locale, colorScheme, viewport: { width: 375, height: 500 } });
      context.onTestFinished(() => foreign.context.close());
      await foreign.page.setContent(`<!doctype html><iframe src="${origin}/listed/" width="320" height="400">`);
      const shell = foreign.page.frameLocator("iframe");
      const exitLink = shell.getByRole("link", { name: text });
      await exitLink.waitFor();
      expect(await exitLink.getAttribute("href")).toBe(`${origin}/listed/`);
      expect(await shell.locator("nav, button, iframe").filter({ visible: true }).count()).toBe(0);
      const inner = foreign.page.frames().find((frame) => frame.url().startsWith(origin));
      expect(inner && (await findingsOf(inner))).toEqual([]);
      expect(foreign.errors).toEqual([]);
    }
  });
});

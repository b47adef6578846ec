import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runBuild } from "../../cli/commands/build.ts";
import { readShellFiles } from "../../cli/page/shell-files.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { startServer } from "../support/cli/server.ts";
import { serveStatic } from "../support/cli/static-server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { serveApplication } from "../support/shell/application.ts";
import { findingsEverywhere } from "../support/shell/axe.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

const config = (label: string, moreConfig = "") =>
  `export default { title: "Aster", ${moreConfig} navigation: [{ label: "${label}", path: "home", url: "/__welcome" }] };\n`;
const silent = { out: () => undefined, err: () => undefined };

describe.skipIf(!hasChromium)("the shell that the command serves and builds", () => {
  it("applies a configuration edit to a connected page, and shows errors over it until they are fixed", async (context) => {
    const root = makeProject(context, { "platform.config.ts": config("Orders") });
    const shell = await readShellFiles({});
    const { port, serving } = await startServer(context, root, { shell });
    const { page, errors } = await openPage(browser);
    context.onTestFinished(() => page.context().close());
    await page.goto(`http://localhost:${port}/`);
    const link = (name: string) => page.getByRole("link", { name, exact: true });
    await link("Orders").first().waitFor();
    await page.evaluate(() => Object.assign(window, { isSameDocument: true }));
    const write = (text: string) => writeFileSync(join(root, "platform.config.ts"), text);
    await expect.poll(() => serving.openResources().pages).toBe(1);
    const startedAt = performance.now();
    write(config("Invoices"));
    await link("Invoices").first().waitFor();
    console.log(`edit until visible: ${Math.round(performance.now() - startedAt)} ms`);
    write("export default { title: 5 };\n");
    const overlay = page.getByRole("alertdialog");
    await overlay.waitFor();
    expect(await overlay.textContent()).toContain("platform.config.ts:1:25");
    expect(await findingsEverywhere(page)).toEqual([]);
    await link("Invoices").first().waitFor();
    write(config("Refunds"));
    await link("Refunds").first().waitFor();
    await overlay.waitFor({ state: "detached" });
    expect(await page.evaluate(() => "isSameDocument" in window)).toBe(true);
    expect(errors).toEqual([]);
  });

  it("blocks inline and foreign scripts, fetches and forms by the content policy of a build", async (context) => {
    const root = makeProject(context, { "platform.config.ts": config("Orders") });
    expect(await runBuild({ root, target: "web", isStrict: true }, silent, root)).toBe(0);
    const origin = await serveStatic(context, join(root, "dist/web"));
    const { page, errors } = await openPage(browser);
    context.onTestFinished(() => page.context().close());
    await page.goto(`${origin}/home/`);
    await page.getByRole("link", { name: "Orders", exact: true }).first().waitFor();
    expect(errors).toEqual([]);
    await page.evaluate(() => {
      const blockedDirectives: string[] = [];
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) =>
        blockedDirectives.push(effectiveDirective),
      );
      Object.assign(window, { blockedDirectives });
      const inline = document.createElement("script");
      inline.textContent = "window.hacked = 1";
      const foreign = document.createElement("script");
      foreign.src = "https://evil.example.com/x.js";
      const box = document.createElement("div");
      box.innerHTML =
        '<img src="/none.png" onerror="window.hacked = 2"><form action="https://evil.example.com"></form>';
      for (const element of [inline, foreign, box]) document.body.appendChild(element);
      box.querySelector("form")?.submit();
      void fetch("https://evil.example.com/").catch(() => undefined);
    });
    const blockedDirectives = async () =>
      await page.evaluate(() => [...new Set(Reflect.get(window, "blockedDirectives") as string[])].toSorted());
    await expect.poll(blockedDirectives).toEqual(["connect-src", "form-action", "script-src-attr", "script-src-elem"]);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  });

  it("opens offline after a first visit, even at addresses that were not visited", async (context) => {
    const root = makeProject(context, {
      "platform.config.ts": config("Orders"),
      "static/talk.mp4": "0123456789",
      "static/song.mp3": "0123456789",
    });
    expect(await runBuild({ root, target: "web", isStrict: true }, silent, root)).toBe(0);
    const origin = await serveStatic(context, join(root, "dist/web"));
    const { page, context: browserContext } = await openPage(browser);
    context.onTestFinished(() => page.context().close());
    await page.goto(`${origin}/home/`);
    await page.evaluate(async () => await navigator.serviceWorker.ready);
    await page.reload();
    await page.evaluate(async () => await (await fetch("/song.mp3")).text());
    await browserContext.setOffline(true);
    await page.goto(`${origin}/offline.html`);
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.goto(`${origin}/__settings`);
    await page.getByRole("link", { name: "Orders", exact: true }).first().waitFor();
    const response = await page.evaluate(
      async () =>
        await fetch("/api/v1/settings")
          .then(({ status }) => status)
          .catch(() => "refused"),
    );
    expect(response).toBe("refused");
    // Media players send range requests. One file was precached, and the other was cached when it was played.
    for (const path of ["/talk.mp4", "/song.mp3"]) {
      const part = await page.evaluate(async (file) => {
        const response = await fetch(file, { headers: { Range: "bytes=3-5" } });
        return [response.status, await response.text(), response.headers.get("Content-Range")];
      }, path);
      expect([path, ...part]).toEqual([path, 206, "345", "bytes 3-5/10"]);
    }
  });

  it("shows every address after a first visit, even when the host has its own page for unknown addresses", async (context) => {
    const application = await serveApplication(context);
    const orders = { label: "Orders", path: "orders", url: application };
    const root = makeProject(context, {
      "platform.config.json": JSON.stringify({ title: "Aster", navigation: [orders] }),
    });
    expect(await runBuild({ root, target: "web", isStrict: false }, silent, root)).toBe(0);
    const origin = await serveStatic(context, join(root, "dist/web"), { knows404: false });
    const { page } = await openPage(browser);
    context.onTestFinished(() => page.context().close());
    // The build has a page for the application, but none for the addresses inside it.
    await page.goto(`${origin}/orders/7/lines`);
    await page.getByRole("heading", { name: "Not found here" }).waitFor();
    await page.goto(`${origin}/orders/`);
    await page.evaluate(async () => await navigator.serviceWorker.ready);
    await page.reload();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const response = await page.goto(`${origin}/orders/7/lines`);
    expect(response?.status()).toBe(200);
    await expect.poll(() => page.frames().map((frame) => frame.url())).toContain(`${application}/7/lines`);
  });

  it("explains in the user's language that a build in a subfolder needs the root of its origin", async (context) => {
    const root = makeProject(context, { "platform.config.ts": config("Orders", 'language: ["en", "fr"],') });
    expect(await runBuild({ root, target: "web", isStrict: true }, silent, root)).toBe(0);
    const origin = await serveStatic(context, join(root, "dist"));
    const { page } = await openPage(browser, { locale: "fr-FR" });
    context.onTestFinished(() => page.context().close());
    await page.goto(`${origin}/web/home/`);
    await page.getByRole("heading", { name: "Cette page a besoin de la racine de son origine" }).waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("servie sous /web/,");
    expect(await findingsEverywhere(page)).toEqual([]);
  });

  it("shows no subfolder message at the root when scripts are slow or the connection is lost", async (context) => {
    const root = makeProject(context, { "platform.config.ts": config("Orders") });
    expect(await runBuild({ root, target: "web", isStrict: true }, silent, root)).toBe(0);
    const origin = await serveStatic(context, join(root, "dist/web"));
    const { page, context: browserContext } = await openPage(browser);
    context.onTestFinished(() => browserContext.close());
    let lose = () => {};
    const isLost = new Promise<void>((done) => {
      lose = done;
    });
    await browserContext.route("**/assets/main-*.js", async (route) => {
      await isLost;
      await route.abort("internetdisconnected");
    });
    const looked: string[] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.includes("/subfolder-")) looked.push(pathname);
    });
    await page.goto(`${origin}/home/`, { waitUntil: "commit" });
    await page.getByRole("link", { name: "Orders" }).first().waitFor();
    expect(looked).toEqual([]);
    lose();
    await expect.poll(() => looked).toEqual([expect.stringMatching(/^\/home\/assets\//)]);
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("link", { name: "Orders" }).first().waitFor();
  });

  it("keeps a new build waiting until the user installs it, and does not reload the page by itself", async (context) => {
    const root = makeProject(context, { "platform.config.ts": config("Orders") });
    const build = () => runBuild({ root, target: "web", isStrict: true }, silent, root);
    expect(await build()).toBe(0);
    const origin = await serveStatic(context, join(root, "dist/web"));
    const { page } = await openPage(browser);
    context.onTestFinished(() => page.context().close());
    await page.goto(`${origin}/home/`);
    await page.evaluate(async () => await navigator.serviceWorker.ready);
    await page.reload();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    // The page registers its worker only when it is idle.
    await page.evaluate(() => Object.assign(window, { isSameDocument: true }));
    writeFileSync(join(root, "platform.config.ts"), config("Invoices"));
    expect(await build()).toBe(0);
    await page.evaluate(async () => await (await navigator.serviceWorker.ready).update());
    const install = page.getByRole("button", { name: "Install now" });
    await install.waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    expect(await page.evaluate(() => "isSameDocument" in window)).toBe(true);
    await install.click();
    await page.getByRole("link", { name: "Invoices", exact: true }).first().waitFor();
    expect(await page.evaluate(() => "isSameDocument" in window)).toBe(false);
  });
});

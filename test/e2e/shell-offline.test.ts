import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { readShellFiles } from "../../cli/page/shell-files.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { startServer } from "../support/cli/server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { frameOf, serveApplication } from "../support/shell/application.ts";

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

/** Opens a shell with two applications at the first one. */
async function openShell(context: TestContext, options: Parameters<typeof openPage>[1] = {}) {
  const [orders, reports] = [await serveApplication(context), await serveApplication(context)];
  const navigation = [
    { label: "Orders", path: "orders", url: `${orders}/app` },
    { label: "Reports", path: "reports", url: `${reports}/app`, prefetch: false },
  ];
  const config = JSON.stringify({ title: "Aster", navigation });
  const root = makeProject(context, { "platform.config.json": config });
  const { port } = await startServer(context, root, { shell: await readShellFiles({}) });
  const { page, context: browserContext } = await openPage(browser, options);
  context.onTestFinished(() => browserContext.close());
  await page.goto(`http://localhost:${port}/orders`);
  await expect.poll(() => page.frames().some((frame) => frame.url().startsWith(orders))).toBe(true);
  await frameOf(page, orders).getByLabel("Typed").fill("half a sentence");
  return { page, browserContext, orders, reports };
}

describe.skipIf(!hasChromium)("the shell without a network", () => {
  it("shows that it is offline until the network is back, and keeps the open page", async (context) => {
    const { page, browserContext, orders } = await openShell(context);
    const notice = page.getByRole("status").getByText("You are offline. What is open stays open.");
    await browserContext.setOffline(true);
    await notice.waitFor();
    expect(await frameOf(page, orders).getByLabel("Typed").inputValue()).toBe("half a sentence");
    await page.getByRole("link", { name: "Reports" }).first().click();
    await page.getByRole("heading", { name: "Reports needs a connection" }).waitFor();
    await page.getByRole("button", { name: "Retry" }).waitFor();
    await page.getByRole("link", { name: "Open in new tab" }).waitFor();
    await page.getByRole("link", { name: "Orders" }).first().click();
    expect(await frameOf(page, orders).getByLabel("Typed").inputValue()).toBe("half a sentence");
    expect(await page.getByRole("alert").count()).toBe(0);
    await notice.waitFor();
    await browserContext.setOffline(false);
    await notice.waitFor({ state: "detached" });
  });

  it("opens an application that was not loaded as soon as the network is back", async (context) => {
    const { page, browserContext, reports } = await openShell(context, { locale: "fr-FR" });
    await browserContext.setOffline(true);
    await page.getByRole("link", { name: "Reports" }).first().click();
    await page.getByRole("heading", { name: /^Reports .*connexion/ }).waitFor();
    await browserContext.setOffline(false);
    await page.getByRole("heading", { name: /^Reports .*connexion/ }).waitFor({ state: "detached" });
    await expect.poll(() => page.frames().some((frame) => frame.url().startsWith(`${reports}/app`))).toBe(true);
    await frameOf(page, reports).getByLabel("Typed").fill("again");
  });

  it("keeps an application when the network is disconnected during the probe of its origin", async (context) => {
    const { page, browserContext, reports } = await openShell(context);
    // The requests of the probe are held until the network is disconnected, and then fail.
    let startProbe = () => {};
    const probe = new Promise<void>((resolve) => {
      startProbe = resolve;
    });
    let endNetwork = () => {};
    const outage = new Promise<void>((resolve) => {
      endNetwork = resolve;
    });
    await browserContext.route(`${reports}/`, async (route) => {
      startProbe();
      await outage;
      await route.abort();
    });
    const failures = [page.waitForEvent("requestfailed"), page.waitForEvent("requestfailed")];
    await page.getByRole("link", { name: "Reports" }).first().click();
    await probe;
    await browserContext.setOffline(true);
    endNetwork();
    await Promise.all(failures);
    await page.getByText("You are offline. What is open stays open.").waitFor();
    await frameOf(page, reports).getByLabel("Typed").fill("kept");
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});

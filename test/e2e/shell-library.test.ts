import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readShellFiles } from "../../cli/page/shell-files.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { builtShell, isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { startServer } from "../support/cli/server.ts";
import { serveStatic } from "../support/cli/static-server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";

const guide = readFileSync(new URL("../../docs/sdk.md", import.meta.url), "utf8");
/** Returns a code block of the library's documentation page. */
const blockOf = (pattern: RegExp) => pattern.exec(guide)?.[1] ?? "";

let browser: Browser;
let shell = "";
let apps = "";
const ends: (() => unknown)[] = [];
const context = { onTestFinished: (end: unknown) => void ends.push(end as () => unknown) };

const page = (title: string, body: string, init = "") => `<!doctype html><title>${title}</title><h1>${title}</h1>${body}
<script type="module">
import { platform } from "/platform.js";
window.platform = platform;
window.receivedEvents = [];
for (const name of ["visibility", "navigate", "layout"]) platform.on(name, (event) => receivedEvents.push([name, event]));
await platform.init(${init});
document.body.dataset.embedded = platform.embedded;
</script>`;
const links = (...targets: string[]) => targets.map((target) => `<a href="${target}">${target}</a> `).join("");

const config = () => `export default {
  title: "Aster",
  navigation: [
    ${blockOf(/```ts\n( +\{ label: [^\n]*)\n/).replace("http://localhost:8080", `${apps}/hello`)}
    { label: "Hash", path: "hash", url: "${apps}/hash/#/" },
    { label: "Pages", path: "pages", url: "${apps}/pages/" },
    { label: "Documents", path: "documents", url: "${apps}/documents/" },
    { label: "Overlays", path: "overlays", url: "${apps}/overlays/", safeForAuthToken: true },
    { label: "Wary", path: "wary", url: "${apps}/wary/" },
  ],
};\n`;

beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  const router = `<script>addEventListener("hashchange", () => { document.querySelector("h1").textContent = location.hash })</script>`;
  // This code is from the library's documentation page.
  const reloading = blockOf(/```js\n(const loaded[\s\S]*?)```/);
  const reload = `<script type="module">import { platform } from "/platform.js";\n${reloading}</script>`;
  const tall = `<style>html, body { margin: 0 } div { height: 180px }</style><div></div>`;
  const files = makeProject(context, {
    "platform.js": readFileSync(join(builtShell, "sdk/platform.js"), "utf8"),
    "tiny.js": readFileSync(join(builtShell, "sdk/tiny.js"), "utf8"),
    "hello/index.html": blockOf(/```html\n([\s\S]*?)```/),
    "hash/index.html": page("Hash", links("#/a", "#/b?x=1") + router, `{ router: "hash" }`),
    "pages/index.html": page("One", links("/pages/two.html")),
    "pages/two.html": page("Two", links("/pages/")),
    "documents/index.html": page("One", links("/documents/two.html") + reload),
    "documents/two.html": page("Two", links("/documents/") + reload),
    "overlays/index.html": page("Overlays", ""),
    "overlays/inner.html": page("Inner", tall),
    "wary/index.html": page("Wary", "", `{ shellOrigins: ["https://shell.example.com"] }`),
  });
  apps = await serveStatic(context, files);
  const root = makeProject(context, { "platform.config.ts": config() });
  const { port } = await startServer(context, root, { shell: await readShellFiles({}) });
  shell = `http://localhost:${port}`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  for (const end of ends.toReversed()) await end();
});

async function open(path: string) {
  const { page, context: browserContext, errors } = await openPage(browser);
  await page.goto(shell + path);
  const app = page.frameLocator("iframe:not([aria-hidden])");
  await app.locator("body[data-embedded]").waitFor();
  return { page, browserContext, errors, app };
}
/** Evaluates an expression inside the frame of an element. */
async function evaluateIn(element: Locator, code: string): Promise<unknown> {
  const frame = await (await element.elementHandle())?.contentFrame();
  if (!frame) throw new Error("no frame");
  return await frame.evaluate(code);
}
const call = (page: Page, title: string, code: string) => evaluateIn(page.locator(`iframe[title^="${title}"]`), code);
const heading = (page: Page, name: string) =>
  page.frameLocator("iframe:not([aria-hidden])").getByRole("heading", { name, exact: true }).waitFor();

describe.skipIf(!hasChromium)("an application with the library", () => {
  it("works when it is the unchanged example of the documentation page", async () => {
    const { page, context: browserContext, errors } = await openPage(browser);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(`${shell}/hello`);
    await heading(page, "Hello stranger");
    const app = page.frameLocator("iframe");
    expect(await app.locator("html").getAttribute("data-platform-mode")).toBe("dark");
    await app.getByRole("button", { name: "Say hello" }).click();
    await page.locator(".toast.success").getByText("Hello").waitFor();
    // The example works without a shell.
    await page.goto(`${apps}/hello/`);
    await page.getByRole("heading", { name: "Hello stranger" }).waitFor();
    expect(errors).toEqual([]);
    await browserContext.close();
  });

  it("goes back and forward with the shell when the application's routes are in the URL fragment", async () => {
    const { page, browserContext, app, errors } = await open("/hash");
    await app.getByRole("link", { name: "#/a" }).click();
    await page.waitForURL(`${shell}/hash/a`);
    await app.getByRole("link", { name: "#/b?x=1" }).click();
    await page.waitForURL(`${shell}/hash/b?x=1`);
    await page.goBack();
    await page.waitForURL(`${shell}/hash/a`);
    await heading(page, "#/a");
    await page.goForward();
    await page.waitForURL(`${shell}/hash/b?x=1`);
    await heading(page, "#/b?x=1");
    await page.reload();
    await app.locator("body[data-embedded]").waitFor();
    expect(await call(page, "Hash", "location.hash")).toBe("#/b?x=1");
    expect(errors).toEqual([]);
    await browserContext.close();
  });

  it("goes back and forward with the shell across several documents", async () => {
    const { page, browserContext, app, errors } = await open("/pages");
    await app.getByRole("link").click();
    await page.waitForURL(`${shell}/pages/two.html`);
    await heading(page, "Two");
    await page.goBack();
    await page.waitForURL((url) => url.pathname.replace(/\/$/, "") === "/pages");
    await heading(page, "One");
    await page.goForward();
    await page.waitForURL(`${shell}/pages/two.html`);
    await heading(page, "Two");
    expect(errors).toEqual([]);
    await browserContext.close();
  });

  it("loads the document that the shell navigates to and goes back and forward from there", async () => {
    const { page, browserContext, errors } = await open("/documents");
    await call(page, "Documents", "void platform.navigate('/documents/two.html?x=1')");
    await page.waitForURL(`${shell}/documents/two.html?x=1`);
    await heading(page, "Two");
    // Returns the URL with which the visible document was loaded, once its library is connected.
    const loaded = () =>
      call(page, "Documents", "window.platform?.embedded && performance.getEntriesByType('navigation')[0].name");
    await expect.poll(loaded).toBe(`${apps}/documents/two.html?x=1`);
    await call(page, "Documents", "void platform.navigate('/documents/two.html?x=2')");
    await expect.poll(loaded).toBe(`${apps}/documents/two.html?x=2`);
    await page.goBack();
    await expect.poll(loaded).toBe(`${apps}/documents/two.html?x=1`);
    await page.waitForURL(`${shell}/documents/two.html?x=1`);
    await page.goBack();
    await expect.poll(loaded).toBe(`${apps}/documents/`);
    await page.waitForURL((url) => url.pathname.replace(/\/$/, "") === "/documents");
    await page.goForward();
    await expect.poll(loaded).toBe(`${apps}/documents/two.html?x=1`);
    await page.waitForURL(`${shell}/documents/two.html?x=1`);
    await page.frameLocator("iframe:not([aria-hidden])").getByRole("link").click();
    await page.waitForURL((url) => url.pathname.replace(/\/$/, "") === "/documents");
    await expect.poll(loaded).toBe(`${apps}/documents/`);
    await page.goBack();
    await page.waitForURL(`${shell}/documents/two.html?x=1`);
    await heading(page, "Two");
    // The shell does not reload a frame that already shows the requested address.
    await call(page, "Documents", "window.isSameDocument = true; 0");
    await call(page, "Documents", "void platform.navigate('/documents/two.html?x=1')");
    await call(page, "Documents", "platform.setTitle('Still here')");
    await page.getByText("Still here").waitFor();
    expect(await call(page, "Documents", "window.isSameDocument")).toBe(true);
    expect(errors).toEqual([]);
    await browserContext.close();
  });

  it("opens its pages over the shell at their own height, and closes each page from inside", async () => {
    const { page, browserContext } = await open("/overlays");
    const url = `${apps}/overlays/inner.html`;
    for (const kind of ["Modal", "Drawer"]) {
      const options = { url, title: "Inner page", position: "bottom" };
      expect(await call(page, "Overlays", `platform.open${kind}(${JSON.stringify(options)})`)).toEqual({
        data: null,
        error: null,
      });
      const dialog = page.getByRole("dialog");
      const inner = dialog.frameLocator("iframe");
      await inner.locator("body[data-embedded=true]").waitFor();
      await evaluateIn(dialog.locator("iframe"), "platform.overlay.autoSize().then(({ error }) => error)");
      const high = await inner.locator("body").evaluate((body) => Math.ceil(body.getBoundingClientRect().height));
      await expect.poll(async () => (await dialog.locator("iframe").boundingBox())?.height).toBe(high);
      await evaluateIn(dialog.locator("iframe"), `setTimeout(() => platform.close${kind}())`);
      await dialog.waitFor({ state: "detached" });
    }
    await browserContext.close();
  });

  it("receives changes of its visibility and keeps its state while hidden", async () => {
    const { page, browserContext } = await open("/overlays");
    await page.getByRole("link", { name: "Pages" }).first().click();
    await heading(page, "One");
    await page.getByRole("link", { name: "Overlays" }).first().click();
    await heading(page, "Overlays");
    const visibilityEvents = (await call(page, "Overlays", "receivedEvents")) as [string, { visible: boolean }][];
    expect(visibilityEvents.flatMap(([name, { visible }]) => (name === "visibility" ? [visible] : []))).toEqual([
      true,
      false,
      true,
    ]);
    await browserContext.close();
  });

  it("receives an error for an impossible request without waiting", async () => {
    const { page, browserContext } = await open("/overlays");
    const failureOf = async (code: string) => ((await call(page, "Overlays", code)) as { error: object | null }).error;
    expect(await failureOf("platform.storage.listBuckets()")).toEqual({ code: "storage_not_configured", status: 503 });
    expect(await failureOf("platform.selectStorage()")).toEqual({ code: "unavailable" });
    expect(await failureOf("platform.navigate('/nowhere')")).toEqual({ code: "invalid_payload" });
    expect(await failureOf("platform.updatePreferences({ themeName: 'none' })")).toEqual({ code: "invalid_payload" });
    expect(await failureOf("platform.overlay.autoSize().then(({ error }) => ({ error }))")).toBeNull();
    expect(await failureOf("platform.getAccessToken()")).toEqual({ code: "signed_out" });
    await call(page, "Overlays", "void platform.dialog({ title: 'First?' }); 0");
    await page.getByRole("dialog").getByText("First?").waitFor();
    expect(await failureOf("platform.dialog({ title: 'Second?' })")).toEqual({ code: "unavailable" });
    await browserContext.close();
  });

  it("continues without the shell if the shell's origin is not among its `shellOrigins`", async () => {
    const { page, browserContext, app } = await open("/wary");
    await app.locator("body[data-embedded=false]").waitFor();
    expect(await call(page, "Wary", "platform.settings")).toBeNull();
    await browserContext.close();
  });
});

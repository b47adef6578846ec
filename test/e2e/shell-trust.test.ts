import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readShellFiles } from "../../cli/page/shell-files.ts";
import { buildShell } from "../../scripts/build-shell.ts";
import { isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { startServer } from "../support/cli/server.ts";
import { serveStatic } from "../support/cli/static-server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium";
import type { Platform } from "../support/platform/platform";
import { sharePlatform } from "../support/platform/shared-platform";
import { settleMessages } from "../support/shell/application";
import { signIn } from "../support/shell/examples";

let platform: Platform;
let browser: Browser;
let shell = "";
let strangers = "";
const ends: (() => unknown)[] = [];
const context = { onTestFinished: (end: unknown) => void ends.push(end as () => unknown) };

// An application that records all messages and sends what the tests tell it. It sends the message named in its address by
// itself, because calls of a test count as a user gesture.
const page = `<!doctype html><title>Page</title><script>
received = [];
addEventListener("message", ({ origin, data }) => received.push({ origin, ...data }));
sendMessage = (type, payload = {}, more) => parent.postMessage({ type, v: 1, payload, ...more }, "*");
requestedType = new URLSearchParams(location.search).get("send");
if (requestedType) addEventListener("message", ({ data }) => console.log(JSON.stringify(data)));
if (requestedType) sendMessage(requestedType);
</script><p>Ready</p>`;

const config = (trusted: string) => `export default {
  title: "Aster",
  navigation: [
    { label: "Stranger", path: "stranger", url: "${strangers}/index.html" },
    { label: "Guest", path: "guest", url: "${trusted}/guest/index.html".replace("localhost", "127.0.0.1"), shareUser: true },
    { label: "Trusted", path: "trusted", url: "${trusted}/index.html", safeForAuthToken: true },
  ],
  backend: { type: "platform", url: "${platform.url}/identity", companyId: 1 },
};\n`;

beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  platform = await sharePlatform();
  const files = makeProject(context, { "index.html": page });
  mkdirSync(join(files, "guest"));
  writeFileSync(join(files, "guest/index.html"), page);
  strangers = await serveStatic(context, files);
  const root = makeProject(context, { "platform.config.ts": config(await serveStatic(context, files)) });
  const { port } = await startServer(context, root, { shell: await readShellFiles({}) });
  shell = `http://localhost:${port}`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  for (const end of ends.toReversed()) await end();
  await platform?.close();
});

type ReceivedMessage = { origin: string; type: string; payload: Record<string, unknown> };

/** Evaluates code inside the shell's page, like one of its scripts. */
function inside(frame: Frame) {
  return {
    sendMessage: (type: string, payload: object = {}, fields: object = {}) =>
      frame.evaluate(`sendMessage(${JSON.stringify(type)}, ${JSON.stringify(payload)}, ${JSON.stringify(fields)})`),
    received: () => frame.evaluate("received") as Promise<ReceivedMessage[]>,
    async next(type: string) {
      await expect.poll(async () => (await this.received()).map((message) => message.type)).toContain(type);
      return (await this.received()).findLast((message) => message.type === type)?.payload ?? {};
    },
  };
}

async function open(path: string, email?: string) {
  const { page, context: browserContext, errors } = await openPage(browser);
  if (email === undefined) await page.goto(shell + path);
  else await signIn(page, platform, shell, email, path);
  const element = await page.locator("iframe:not([aria-hidden])").elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error("no frame");
  await frame.getByText("Ready").waitFor();
  return { page, browserContext, errors, frame };
}

const account = (page: Page) => page.getByRole("button", { name: /^Account of/ });

describe.skipIf(!hasChromium)("an application without trust", () => {
  it("receives the appearance, but no user, token or service", async () => {
    const { page, browserContext, frame, errors } = await open("/stranger", "stranger@example.com");
    const app = inside(frame);
    await app.sendMessage("PLATFORM_SETTINGS_REQUESTED", { sdk: "x" });
    const { level, settings } = await app.next("PLATFORM_SETTINGS");
    expect(level).toBe("none");
    expect(Object.keys(settings as object).toSorted()).toEqual(
      ["appearance", "cookieConsent", "developer", "language", "navigation", "region", "shell"].toSorted(),
    );
    for (const [type, payload] of [
      ["PLATFORM_SESSION_REQUESTED", { id: "1" }],
      ["PLATFORM_LOGOUT", {}],
      ["PLATFORM_PREFERENCES_UPDATE", { colorScheme: "dark" }],
      ["PLATFORM_SELECT_STORAGE", { id: "2", multiple: false, mode: "any" }],
      ["PLATFORM_OVERLAY_SIZE", { height: 10 }],
      ["PLATFORM_CLOSE_MODAL", {}],
    ] as const) {
      await app.sendMessage(type, payload);
      await expect.poll(async () => (await app.next("PLATFORM_ERROR")).type).toBe(type);
      expect((await app.next("PLATFORM_ERROR")).code).toBe("forbidden");
    }
    await app.sendMessage("PLATFORM_STORAGE_REQUEST", { id: "3", op: "listBuckets" });
    expect(await app.next("PLATFORM_STORAGE_RESPONSE")).toEqual({ id: "3", error: { status: 403, code: "forbidden" } });
    const all = JSON.stringify(await app.received());
    expect(all).not.toContain("eyJ");
    expect(all).not.toContain("prt_");
    expect(all).not.toContain("stranger@example.com");
    expect(all).not.toContain(platform.url);
    await account(page).waitFor();
    expect(errors).toEqual([]);
    await browserContext.close();
  });

  it.each(["PLATFORM_LOGIN", "PLATFORM_REFRESH_PAGE"])("cannot use %s without a user gesture", async (type) => {
    const { page, context: browserContext } = await openPage(browser);
    const warning = page.waitForEvent("console", (message) => message.text().includes("PLATFORM_ERROR"));
    await page.goto(`${shell}/stranger?send=${type}`);
    expect(JSON.parse((await warning).text())).toEqual({
      type: "PLATFORM_ERROR",
      v: 1,
      payload: { type, code: "forbidden" },
    });
    expect(new URL(page.url()).pathname).toBe("/stranger");
    await browserContext.close();
  });

  it("navigates the shell only to its existing addresses", async () => {
    const { page, browserContext, frame } = await open("/stranger");
    const app = inside(frame);
    const foreignUrls = [
      "//evil.example.com",
      "/\\evil.example.com",
      "https://evil.example.com",
      "javascript:alert(1)",
    ];
    for (const url of [...foreignUrls, "/nowhere", "/login/callback?platform_auth_code=x", "stranger", ""]) {
      await app.sendMessage("PLATFORM_NAVIGATE", { id: url, url });
      await expect.poll(async () => (await app.next("PLATFORM_ERROR")).code).toBe("invalid_payload");
    }
    await app.sendMessage("PLATFORM_URL_CHANGED", { pathname: "//evil.example.com/index.html", search: "", hash: "" });
    await app.sendMessage("PLATFORM_URL_CHANGED", { pathname: "/elsewhere", search: "", hash: "" });
    await app.sendMessage("PLATFORM_OPEN_MODAL", { url: "https://evil.example.com/" });
    await page.getByRole("dialog").getByRole("link", { name: "Open in new tab" }).waitFor();
    expect(await page.locator('iframe[src*="evil"]').count()).toBe(0);
    expect(page.url()).toBe(`${shell}/stranger`);
    expect(await frame.evaluate("try { top.location = 'https://evil.example.com/'; 'led' } catch { 'refused' }")).toBe(
      "refused",
    );
    await browserContext.close();
  });

  it("receives no response to invalid messages and cannot impersonate the shell", async () => {
    const { page, browserContext, frame } = await open("/stranger", "forger@example.com");
    const app = inside(frame);
    await app.sendMessage("PLATFORM_SETTINGS_REQUESTED", {}, { v: 2 });
    await app.sendMessage("PLATFORM_SETTINGS", { version: 1, level: "token", settings: {} });
    await app.sendMessage("PLATFORM_SESSION", { user: null, accessToken: null });
    await app.sendMessage("PLATFORM_WHATEVER");
    await frame.evaluate("parent.postMessage('PLATFORM_LOGOUT', '*')");
    await frame.evaluate(
      "parent.postMessage({ type: 'PLATFORM_BADGE', v: 1, payload: { count: 3, x: 'x'.repeat(70000) } }, '*')",
    );
    // Neither the page itself nor a nested frame is a frame of the shell.
    await page.evaluate(() => postMessage({ type: "PLATFORM_LOGOUT", v: 1, payload: {} }, "*"));
    await frame.evaluate(`
      inner = document.createElement("iframe");
      inner.srcdoc = "<script>received = 0; onmessage = () => received++; top.postMessage({ type: 'PLATFORM_SETTINGS_REQUESTED', v: 1, payload: {} }, '*')<\\/script>";
      document.body.append(inner);
      new Promise((done) => inner.onload = done)`);
    await app.sendMessage("PLATFORM_BADGE", { count: 7 });
    await page.locator(".badge").getByText("7", { exact: true }).first().waitFor();
    expect(await app.received()).toEqual([]);
    expect(await frame.evaluate("inner.contentWindow.received")).toBe(0);
    await account(page).waitFor();
    await browserContext.close();
  });

  it("loses its messages above the rate limit while the shell keeps working", async () => {
    const { page, browserContext, frame } = await open("/stranger");
    const app = inside(frame);
    await app.sendMessage("PLATFORM_SETTINGS_REQUESTED", {});
    await app.next("PLATFORM_SETTINGS");
    await frame.evaluate(
      "for (let at = 0; at < 20000; at++) sendMessage('PLATFORM_TOAST', { id: String(at), title: 'Toast ' + at, duration: 0 })",
    );
    await page.getByText("Toast 0", { exact: true }).waitFor();
    expect(await page.locator(".toast").count()).toBe(3);
    expect((await app.received()).filter(({ type }) => type === "PLATFORM_ERROR").length).toBeLessThan(300);
    await page.getByRole("link", { name: "Guest" }).first().click();
    await page.waitForURL(`${shell}/guest`);
    await browserContext.close();
  });
});

describe.skipIf(!hasChromium)("the trust of a frame", () => {
  it("includes the user but not the token at level user", async () => {
    const { browserContext, frame } = await open("/guest", "guest@example.com");
    const app = inside(frame);
    await app.sendMessage("PLATFORM_SETTINGS_REQUESTED", {});
    expect(await app.next("PLATFORM_SETTINGS")).toMatchObject({
      level: "user",
      settings: { user: { email: "guest@example.com" } },
    });
    await app.sendMessage("PLATFORM_SESSION_REQUESTED", { id: "1" });
    const { user } = await app.next("PLATFORM_SESSION");
    expect(user).toMatchObject({ email: "guest@example.com" });
    expect(JSON.stringify(await app.received())).not.toContain("eyJ");
    await browserContext.close();
  });

  it("depends on its origin too: an application that navigated elsewhere receives nothing until it returns", async () => {
    const { page, browserContext, frame } = await open("/trusted", "trusted@example.com");
    const app = inside(frame);
    await app.sendMessage("PLATFORM_SETTINGS_REQUESTED", {});
    const { level, settings } = await app.next("PLATFORM_SETTINGS");
    expect(level).toBe("token");
    expect(String((settings as Record<string, unknown>).accessToken)).toMatch(/^eyJ/);
    expect(JSON.stringify(settings)).not.toContain("prt_");
    const home = frame.url();
    await frame.goto(`${strangers}/index.html`);
    for (const type of ["PLATFORM_SETTINGS_REQUESTED", "PLATFORM_LOGOUT", "PLATFORM_NAVIGATE"])
      await app.sendMessage(type, { url: "/stranger", id: "1" });
    await app.sendMessage("PLATFORM_SESSION_REQUESTED", { id: "2" });
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => page.locator("html").getAttribute("data-scheme")).toBe("dark");
    await page.setViewportSize({ width: 900, height: 700 });
    // Resolves after the shell has handled all earlier messages.
    await settleMessages(page, frame);
    expect(await app.received()).toEqual([]);
    expect(page.url()).toBe(`${shell}/trusted`);
    await account(page).waitFor();
    await frame.goto(home);
    await app.sendMessage("PLATFORM_SESSION_REQUESTED", { id: "3" });
    expect(String((await app.next("PLATFORM_SESSION")).accessToken)).toMatch(/^eyJ/);
    await browserContext.close();
  });

  it("is not inherited by an overlay on another origin", async () => {
    const { page, browserContext, frame } = await open("/trusted", "overlay@example.com");
    const app = inside(frame);
    await app.sendMessage("PLATFORM_OPEN_MODAL", { url: `${strangers}/index.html` });
    const element = await page.getByRole("dialog").locator("iframe").elementHandle();
    const inner = await element?.contentFrame();
    if (!inner) throw new Error("no overlay");
    await inner.getByText("Ready").waitFor();
    const overlay = inside(inner);
    await overlay.sendMessage("PLATFORM_SETTINGS_REQUESTED", {});
    expect((await overlay.next("PLATFORM_SETTINGS")).level).toBe("none");
    expect(JSON.stringify(await overlay.received())).not.toMatch(/eyJ|overlay@example/);
    await browserContext.close();
  });

  it("does not extend to other windows that replay the frame's messages; the frame's own repeats show one toast", async () => {
    const { page, browserContext, frame } = await open("/trusted", "replayed@example.com");
    const app = inside(frame);
    const sessionRequest = { type: "PLATFORM_SESSION_REQUESTED", v: 1, payload: { id: "asked" } };
    const leave = { type: "PLATFORM_LOGOUT", v: 1, payload: {} };
    const toast = { type: "PLATFORM_TOAST", v: 1, payload: { id: "told", title: "Told once", duration: 0 } };
    const replay = JSON.stringify([sessionRequest, leave, toast]);
    await app.sendMessage(sessionRequest.type, sessionRequest.payload);
    expect(String((await app.next("PLATFORM_SESSION")).accessToken)).toMatch(/^eyJ/);
    const countResponses = async () => (await app.received()).filter(({ payload }) => payload.id === "asked").length;
    expect(await countResponses()).toBe(1);

    // The shell created neither the nested frame nor the popup of the trusted origin.
    await frame.evaluate(`
      beside = document.createElement("iframe");
      beside.src = location.href;
      document.body.append(beside);
      new Promise((done) => beside.onload = done)`);
    const nested = frame.childFrames()[0];
    if (!nested) throw new Error("no frame within the frame");
    await nested.evaluate(`for (const message of ${replay}) top.postMessage(message, "*")`);
    const opening = browserContext.waitForEvent("page");
    await frame.evaluate("void open(location.href)");
    const popup = await opening;
    await popup.waitForLoadState();
    await popup.evaluate(`for (const message of ${replay}) opener.top.postMessage(message, "*")`);
    expect(await popup.evaluate("received")).toEqual([]);
    expect(await nested.evaluate("received")).toEqual([]);
    await popup.close();

    // An untrusted application replays the same messages.
    await page.getByRole("link", { name: "Stranger" }).first().click();
    await page.waitForURL(`${shell}/stranger`);
    const element = await page.locator("iframe:not([aria-hidden])").elementHandle();
    const strangerFrame = await element?.contentFrame();
    if (!strangerFrame) throw new Error("no frame");
    await strangerFrame.getByText("Ready").waitFor();
    await strangerFrame.evaluate(`for (const message of ${replay}) parent.postMessage(message, "*")`);
    const stranger = inside(strangerFrame);
    await page.locator(".toast").getByText("Told once").waitFor();
    const popupMessages = await stranger.received();
    expect(popupMessages.map(({ type, payload }) => [type, payload.code])).toEqual([
      ["PLATFORM_ERROR", "forbidden"],
      ["PLATFORM_ERROR", "forbidden"],
    ]);
    expect(await countResponses()).toBe(1);
    await account(page).waitFor();

    // The same window sends the messages again: one response per request, one toast per id.
    await page.getByRole("link", { name: "Trusted" }).first().click();
    await page.locator(".toast").getByRole("button", { name: "Close" }).click();
    await page.locator(".toast").waitFor({ state: "detached" });
    await app.sendMessage(sessionRequest.type, sessionRequest.payload);
    await expect.poll(countResponses).toBe(2);
    for (let times = 0; times < 3; times += 1) await app.sendMessage(toast.type, toast.payload);
    await app.sendMessage("PLATFORM_BADGE", { count: 1 });
    await page.locator(".badge").first().waitFor();
    expect(await page.locator(".toast").count()).toBe(1);
    await browserContext.close();
  });

  it("ends with the sign-out, which removes the frame of the application", async () => {
    const { page, browserContext, frame } = await open("/trusted", "leaver@example.com");
    const app = inside(frame);
    await app.sendMessage("PLATFORM_SETTINGS_REQUESTED", {});
    await app.next("PLATFORM_SETTINGS");
    const frameRemoved = new Promise<void>((done) => page.once("framedetached", () => done()));
    await app.sendMessage("PLATFORM_LOGOUT");
    await frameRemoved;
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    await browserContext.close();
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { buildShell } from "../../scripts/build-shell.ts";
import { builtShell, isShellCurrent } from "../../scripts/support/shell/current.ts";
import { makeProject } from "../support/cli/project.ts";
import { serveStatic } from "../support/cli/static-server.ts";
import { hasChromium, launchChromium, openPage } from "../support/platform/chromium.ts";
import { fakeBackendUrl, routeBackend, sessionAt } from "../support/shell/fake-identity.ts";
import { startShellSite } from "../support/shell/shell-site.ts";
import { startStorage } from "../support/shell/storage/fake-storage.ts";

const MEBIBYTE = 2 ** 20;

let browser: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  if (!isShellCurrent()) await buildShell();
  browser = await launchChromium();
});
afterAll(async () => await browser?.close());

// `ends` contains, by name, the operations that an application starts without waiting for them.
const page = (title: string) => `<!doctype html><title>${title}</title><h1>${title}</h1><script type="module">
import { platform } from "/platform.js";
Object.assign(window, { platform, bucket: platform.storage.from("company"), ends: {} });
window.keep = (name, promise) => void promise.then((end) => { ends[name] = end; });
window.zeros = (megabytes) => new Blob([new Uint8Array(megabytes * 2 ** 20)]);
await platform.init();
document.body.dataset.embedded = platform.embedded;
</script>`;

/** Opens a shell with a storage service in this process, an application that may use it, and a file picker. */
async function openShell(context: TestContext, options: Parameters<typeof openPage>[1] = {}) {
  const storage = await startStorage(context);
  const apps = await serveStatic(
    context,
    makeProject(context, {
      "platform.js": readFileSync(join(builtShell, "sdk/platform.js"), "utf8"),
      "app/index.html": page("Notes"),
      "files/index.html": page("Files"),
    }),
  );
  const site = await startShellSite(
    { type: "platform", url: fakeBackendUrl, companyId: 1 },
    {
      navigation: [
        { label: "Notes", path: "notes", url: `${apps}/app/`, safeForAuthToken: true },
        { label: "Home", path: "home", url: "/__welcome" },
      ],
      storage: { url: storage.url, filesUrl: `${apps}/files` },
    },
  );
  context.onTestFinished(() => site.close());
  const { page: shell, context: browserContext, errors } = await openPage(browser, options);
  context.onTestFinished(() => browserContext.close());
  await routeBackend(browserContext);
  await browserContext.addInitScript(
    (record) => top === window && localStorage.setItem("platform:session", record),
    sessionAt(fakeBackendUrl),
  );
  await shell.goto(`${site.url}/notes`);
  await shell.frameLocator("iframe").locator("body[data-embedded=true]").waitFor();
  return { shell, errors, storage };
}

/** Evaluates an expression in the application. */
async function call(shell: Page, code: string, frame = "iframe[title^=Notes]"): Promise<unknown> {
  const inner = await (await shell.locator(frame).elementHandle())?.contentFrame();
  return await inner?.evaluate(code);
}
const done = (data: unknown) => ({ data, error: null });
const failure = (code: string, status: number) => ({ data: null, error: { code, status } });
const toast = (shell: Page, text: string) => shell.locator(".toast").filter({ hasText: text });

describe.skipIf(!hasChromium)("storage through the shell", () => {
  it("lists, stores, reads, moves and removes files with the user's session", async (context) => {
    const { shell, storage, errors } = await openShell(context);
    expect(await call(shell, "platform.storage.listBuckets()")).toEqual(
      done([{ id: "company", name: "company", public: false }]),
    );
    expect(await call(shell, "bucket.upload('2026/a b&c.txt', 'hello')")).toMatchObject(
      done({ Key: "company/2026/a b&c.txt" }),
    );
    expect(await call(shell, "bucket.upload('2026/a b&c.txt', 'again')")).toEqual(
      failure("resource_already_exists", 400),
    );
    expect(await call(shell, "bucket.upload('2026/a b&c.txt', 'again', { upsert: true })")).toMatchObject({
      error: null,
    });
    expect(await call(shell, "bucket.download('2026/a b&c.txt').then(({ data }) => data.text())")).toBe("again");
    expect(await call(shell, "bucket.get('2026/a b&c.txt')")).toMatchObject(
      done({ name: "2026/a b&c.txt", owner: "7", metadata: { size: 5, mimetype: "text/plain" } }),
    );
    expect(await call(shell, "bucket.createFolder('2026/empty')")).toMatchObject({ error: null });
    expect(
      await call(shell, "bucket.list('2026', { limit: 10 }).then(({ data }) => data.map(({ name }) => name))"),
    ).toEqual(["empty", "a b&c.txt"]);
    expect(await call(shell, "bucket.folderStats('2026')")).toMatchObject(
      done({ object_count: 2, file_count: 1, total_bytes: 5 }),
    );
    expect(await call(shell, "bucket.move('2026/a b&c.txt', 'moved.txt')")).toMatchObject({ error: null });
    expect(storage.paths()).toEqual(["2026/empty/.emptyFolderPlaceholder", "moved.txt"]);
    expect(await call(shell, "bucket.removeFolder('2026')")).toMatchObject(done({ count: 1 }));
    expect(await call(shell, "bucket.remove(['moved.txt', 'none.txt'])")).toEqual(done([{ name: "moved.txt" }]));
    expect(storage.paths()).toEqual([]);
    expect(await call(shell, "bucket.download('moved.txt')")).toEqual(failure("object_not_found", 404));
    expect(await call(shell, "bucket.download('../quota')")).toEqual(failure("invalid_payload", 400));
    expect(await call(shell, "platform.storage.from('none').list()")).toEqual(failure("bucket_not_found", 404));
    // Short uploads show no toast.
    expect(await shell.locator(".toast").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it("shows the progress and result of uploads on every page", async (context) => {
    const { shell, storage } = await openShell(context);
    const release = storage.hold();
    await call(shell, "keep('one', bucket.upload('films/first.mp4', zeros(20)))");
    const bar = shell.getByRole("progressbar", { name: "Uploading first.mp4" });
    await bar.waitFor();
    const value = () => bar.evaluate((element) => (element as HTMLProgressElement).value);
    await expect.poll(value).toBeGreaterThan(0);
    expect(await value()).toBeLessThan(1);
    await call(shell, "keep('two', bucket.upload('second.txt', 'short'))");
    await shell.getByRole("progressbar", { name: "Uploading 2 files" }).waitFor();
    await shell.getByRole("link", { name: "Home" }).first().click();
    await shell.getByRole("heading", { name: /^Welcome/ }).waitFor();
    await toast(shell, "of 20 MB").waitFor();
    release();
    await toast(shell, "2 files are uploaded").waitFor();
    expect(await shell.getByRole("progressbar").count()).toBe(0);
    expect(storage.paths()).toEqual(["films/first.mp4", "second.txt"]);
    await shell.getByRole("link", { name: "Notes" }).first().click();
    expect(await call(shell, "ends")).toMatchObject({ one: { error: null }, two: { error: null } });
  });

  it("asks before the user leaves a page with a running upload, and not afterwards", async (context) => {
    const { shell, storage } = await openShell(context);
    const release = storage.hold();
    // Browsers ask only after the user interacted with the page.
    await shell.getByRole("button", { name: "Search" }).first().click();
    await shell.keyboard.press("Escape");
    await call(shell, "keep('one', bucket.upload('first.mp4', zeros(2)))");
    await toast(shell, "Uploading first.mp4").waitFor();
    const leaveDialog = shell.waitForEvent("dialog");
    await shell.evaluate(() => void setTimeout(() => location.reload()));
    const dialog = await leaveDialog;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    release();
    await toast(shell, "first.mp4 is uploaded").waitFor();
    await shell.reload();
    await shell.frameLocator("iframe").locator("body[data-embedded=true]").waitFor();
  });

  it("shows which quota is full, its usage and what to do, and returns the code to the application", async (context) => {
    const { shell, storage } = await openShell(context);
    storage.put("old.bin", Buffer.alloc(9 * MEBIBYTE));
    storage.limits.company = 10 * MEBIBYTE;
    expect(await call(shell, "bucket.upload('big.bin', zeros(2))")).toEqual(failure("company_quota_exceeded", 413));
    const company = toast(shell, "big.bin was not uploaded");
    await company.getByText("Your company uses 9 MB of 10 MB, and 2 MB more are needed.").waitFor();
    await company.getByText("ask an owner of your company for more room").waitFor();
    storage.limits.company = null;
    storage.limits.user = MEBIBYTE;
    expect(await call(shell, "bucket.upload('own.bin', zeros(2))")).toEqual(failure("user_quota_exceeded", 413));
    await toast(shell, "You use 0 bytes of the 1 MB that are yours, and 2 MB more are needed.").waitFor();
    // Parallel uploads are shown as one.
    await call(shell, "Promise.all(['1', '2', '3'].map((name) => bucket.upload(name, zeros(2)))).then(() => 0)");
    await toast(shell, "3 files were not uploaded").getByText("6 MB more are needed").waitFor();
    expect(await shell.locator(".toast").count()).toBe(2);
    expect(await shell.getByRole("alert").count()).toBe(2);
    expect(storage.paths()).toEqual(["old.bin"]);
    await company.getByRole("button", { name: "Show storage" }).click();
    await shell.waitForURL(/\/__settings\/storage$/);
    await shell.getByText("0 bytes of 1 MB").waitFor();
  });

  it("shows a full quota in French on a phone", async (context) => {
    const { shell, storage } = await openShell(context, { locale: "fr-FR" });
    await shell.setViewportSize({ width: 375, height: 720 });
    storage.put("old.bin", Buffer.alloc(9 * MEBIBYTE));
    storage.limits.company = 10 * MEBIBYTE;
    await call(shell, "bucket.upload('rapport.pdf', zeros(2))");
    await toast(shell, "rapport.pdf n’a pas été enregistré")
      .getByRole("button", { name: "Afficher le stockage" })
      .waitFor();
    expect(await shell.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });

  it("shows that a long upload failed, and the new usage after one that succeeded", async (context) => {
    const { shell, storage } = await openShell(context);
    storage.limits.company = 100 * MEBIBYTE;
    const release = storage.hold();
    await call(shell, "keep('lost', bucket.upload('lost.bin', zeros(2)))");
    await toast(shell, "Uploading lost.bin").waitFor();
    const restore = storage.disconnect();
    await toast(shell, "lost.bin was not uploaded").getByText("The storage did not answer").waitFor();
    await expect.poll(() => call(shell, "ends.lost")).toEqual(failure("service_unavailable", 503));
    restore();
    await call(shell, "keep('kept', bucket.upload('kept.bin', zeros(2)))");
    await toast(shell, "Uploading kept.bin").waitFor();
    await shell.keyboard.press("Control+k");
    await shell.getByRole("combobox").fill("Storage");
    await shell.keyboard.press("Enter");
    await shell.getByText("0 bytes of 100 MB").waitFor();
    release();
    await shell.getByText("2 MB of 100 MB").waitFor();
    expect(storage.paths()).toEqual(["kept.bin"]);
  });
});

describe.skipIf(!hasChromium)("the file picker", () => {
  const picker = "dialog iframe";
  const open = async (shell: Page, options: string) => {
    await call(shell, `keep('choice', platform.selectStorage(${options})); delete ends.choice`);
    await shell.getByRole("dialog").frameLocator("iframe").locator("body[data-embedded=true]").waitFor();
  };
  const file = { bucket: "company", path: "2026/a.pdf", name: "a.pdf", kind: "file", size: 5 };
  const sendResult = (shell: Page, items: object[] | null) =>
    call(shell, `keep('told', platform.answerSelection(${JSON.stringify(items)})); 0`, picker);
  const choice = (shell: Page) => call(shell, "ends.choice");

  it("returns what the user selected and nothing that was not requested", async (context) => {
    const { shell } = await openShell(context);
    await open(shell, "{ mode: 'files' }");
    await shell.getByRole("dialog", { name: "Choose a file", exact: true }).waitFor();
    expect(await call(shell, "location.hash", picker)).toBe("#/select?mode=files&multiple=false");
    expect(await call(shell, "platform.ready.then(({ data }) => data.level)", picker)).toBe("token");
    await sendResult(shell, [file, file]);
    await expect.poll(() => call(shell, "ends.told", picker)).toMatchObject({ error: { code: "invalid_payload" } });
    await sendResult(shell, [{ ...file, kind: "folder" }]);
    await sendResult(shell, [{ path: 5 }]);
    expect(await choice(shell)).toBeUndefined();
    await sendResult(shell, [file]);
    await shell.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => choice(shell)).toEqual(done({ cancelled: false, items: [file] }));
    await open(shell, "{ multiple: true }");
    await sendResult(shell, [file, { ...file, path: "2026", name: "2026", kind: "folder" }]);
    await expect.poll(() => choice(shell)).toMatchObject({ data: { items: [{ kind: "file" }, { kind: "folder" }] } });
  });

  it("is cancelled by the files application, the close button, Escape and a second picker", async (context) => {
    const { shell } = await openShell(context);
    const cancelled = done({ cancelled: true, items: [] });
    await open(shell, "");
    await sendResult(shell, null);
    await expect.poll(() => choice(shell)).toEqual(cancelled);
    await open(shell, "");
    await shell.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await expect.poll(() => choice(shell)).toEqual(cancelled);
    await open(shell, "");
    await shell.getByRole("dialog").frameLocator("iframe").locator("h1").click();
    await shell.keyboard.press("Escape");
    await expect.poll(() => choice(shell)).toEqual(cancelled);
    await open(shell, "");
    await call(shell, "keep('second', platform.selectStorage()); 0");
    await expect.poll(() => choice(shell)).toEqual(cancelled);
    expect(await call(shell, "ends.second")).toBeUndefined();
  });

  it("accepts results only from the files application", async (context) => {
    const { shell } = await openShell(context);
    expect(await call(shell, `platform.answerSelection(${JSON.stringify([file])})`)).toEqual({
      data: null,
      error: { code: "forbidden" },
    });
    await open(shell, "");
    expect(await call(shell, `platform.answerSelection(${JSON.stringify([file])})`)).toMatchObject({
      error: { code: "forbidden" },
    });
    expect(await choice(shell)).toBeUndefined();
  });
});

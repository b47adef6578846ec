import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createPlatform } from "../../../shell/sdk/src/entries/full.ts";
import { fakeElement, fakePage } from "../../support/sdk/fake-window.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const flush = () => vi.advanceTimersByTimeAsync(60);
const now = 1_000_000;

function embedded(level = "none", settings: object = {}) {
  const shell = fakePage();
  const platform = createPlatform(shell.page, "0.0.0-test");
  void platform.init();
  shell.welcome(level, settings);
  return { ...shell, platform };
}

describe("settings", () => {
  test("merge changes, of which null removes a key", () => {
    const { platform, sendAsShell } = embedded("token", { storage: { url: "https://s.example.com", filesUrl: null } });
    const listener = vi.fn();
    platform.on("settings", listener);
    sendAsShell("PLATFORM_SETTINGS_UPDATED", {
      version: 2,
      patch: { language: { code: "fr", dir: "ltr", available: ["en", "fr"] }, storage: null },
    });
    expect(platform.settings?.language.code).toBe("fr");
    expect(platform.settings).not.toHaveProperty("storage");
    expect(listener).toHaveBeenCalledOnce();
  });

  test("are requested again completely, and only from the shell, after a version was missed", () => {
    const { platform, sendAsShell, of, welcome } = embedded();
    sendAsShell("PLATFORM_SETTINGS_UPDATED", { version: 3, patch: { region: { timeZone: "Europe/Paris" } } });
    expect(platform.settings?.region.timeZone).toBe("UTC");
    expect(of("PLATFORM_SETTINGS_REQUESTED").at(-1)?.target).toBe("https://shell.example.com");
    welcome("none", { region: { timeZone: "Europe/Paris" } }, 3);
    expect(platform.settings?.region.timeZone).toBe("Europe/Paris");
  });

  test("exclude the access token", () => {
    const { platform } = embedded("token", { user: { id: "7" }, accessToken: "secret", expiresAt: now + 600 });
    expect(JSON.stringify(platform.settings)).not.toContain("secret");
    expect(platform.user).toEqual({ id: "7" });
  });

  test("contain a theme that is written to the element and updated until it is stopped", async () => {
    const { platform, sendAsShell } = embedded();
    const { element, style, dataset } = fakeElement();
    const { data: stop } = await platform.applyTheme(element);
    expect(Object.fromEntries(style)).toEqual({
      "--platform-background": "oklch(0.2 0 0)",
      "--platform-mutedForeground": "#999",
      "--platform-radius": "6px",
      "--platform-font-body": "Inter, sans-serif",
    });
    expect(dataset).toEqual({ platformMode: "dark", platformDensity: "compact" });
    const light = {
      themeName: "default",
      mode: "light",
      colorScheme: "light",
      tokens: { background: "#fff" },
      fonts: {},
    };
    sendAsShell("PLATFORM_SETTINGS_UPDATED", { version: 2, patch: { appearance: light } });
    expect([style.get("--platform-background"), dataset.platformMode]).toEqual(["#fff", "light"]);
    // An earlier version of the shell sends no density.
    expect(dataset.platformDensity).toBe("comfortable");
    expect(style.has("--platform-font-body")).toBe(false);
    stop?.();
    sendAsShell("PLATFORM_SETTINGS_UPDATED", { version: 3, patch: { appearance: { ...light, mode: "dark" } } });
    expect(dataset.platformMode).toBe("light");
  });
});

describe("access token", () => {
  test("is reused while it is valid for minTtl, and requested otherwise", async () => {
    const { platform, of, sendAsShell, last } = embedded("token", {
      user: {},
      accessToken: "first",
      expiresAt: now + 60,
    });
    expect(await platform.getAccessToken()).toEqual({ data: "first", error: null });
    expect(of("PLATFORM_SESSION_REQUESTED")).toHaveLength(0);
    const pending = platform.getAccessToken({ minTtl: 120 });
    await flush();
    const { id, minTtl } = last("PLATFORM_SESSION_REQUESTED");
    expect(minTtl).toBe(120);
    sendAsShell("PLATFORM_SESSION", { id, user: {}, accessToken: "second", expiresAt: now + 600 });
    expect(await pending).toEqual({ data: "second", error: null });
    expect(await platform.getAccessToken({ minTtl: 120 })).toEqual({ data: "second", error: null });
  });

  test("fails for untrusted applications and without a signed-in user", async () => {
    const { platform, of } = embedded("user", { user: { id: "7" } });
    expect(await platform.getAccessToken()).toEqual({ data: null, error: { code: "forbidden" } });
    expect(of("PLATFORM_SESSION_REQUESTED")).toHaveLength(0);
    const other = embedded("token", { user: null, accessToken: null, expiresAt: null });
    const pending = other.platform.getAccessToken();
    await flush();
    other.sendAsShell("PLATFORM_SESSION", {
      id: other.last("PLATFORM_SESSION_REQUESTED").id,
      user: null,
      accessToken: null,
    });
    expect(await pending).toEqual({ data: null, error: { code: "signed_out" } });
  });

  test("is removed at sign-out", async () => {
    const { platform, sendAsShell } = embedded("token", {
      user: { id: "7" },
      accessToken: "first",
      expiresAt: now + 600,
    });
    const listener = vi.fn();
    platform.on("session", listener);
    sendAsShell("PLATFORM_SESSION", { user: null, accessToken: null, expiresAt: null });
    expect(listener).toHaveBeenCalledWith({ user: null });
    const pending = platform.getAccessToken();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await pending).toEqual({ data: null, error: { code: "timeout" } });
  });
});

describe("requests to the shell", () => {
  test("succeed when no error arrives, and fail with the code of an error", async () => {
    const { platform, sendAsShell, last } = embedded();
    const succeeded = platform.navigate("/orders");
    await flush();
    expect(await succeeded).toEqual({ data: null, error: null });
    const failed = platform.navigate("/nowhere");
    await vi.advanceTimersByTimeAsync(0);
    const { id, url } = last("PLATFORM_NAVIGATE");
    expect(url).toBe("/nowhere");
    sendAsShell("PLATFORM_ERROR", { type: "PLATFORM_NAVIGATE", id, code: "invalid_payload" });
    expect(await failed).toEqual({ data: null, error: { code: "invalid_payload" } });
  });

  test("return invalid_payload instead of throwing for a payload that cannot be cloned", async () => {
    const { platform } = embedded();
    const uncloneable = { themeName: (() => undefined) as unknown as string };
    expect(await platform.updatePreferences(uncloneable)).toEqual({ data: null, error: { code: "invalid_payload" } });
  });

  test("emit an event for errors that no caller waits for", async () => {
    const { platform, sendAsShell } = embedded();
    const listener = vi.fn();
    platform.on("error", listener);
    sendAsShell("PLATFORM_ERROR", { type: "PLATFORM_BADGE", code: "rate_limited" });
    sendAsShell("PLATFORM_ERROR", { type: "PLATFORM_URL_CHANGED", code: "forbidden" });
    expect(listener.mock.calls).toEqual([[{ type: "PLATFORM_BADGE", code: "rate_limited" }]]);
  });

  test("keep notifying other listeners when one throws", () => {
    const { platform, sendAsShell } = embedded();
    const listener = vi.fn();
    platform.on("visibility", () => {
      throw new Error("the application's own");
    });
    const remove = platform.on("visibility", listener);
    sendAsShell("PLATFORM_VISIBILITY", { visible: false });
    remove();
    sendAsShell("PLATFORM_VISIBILITY", { visible: true });
    expect(listener.mock.calls).toEqual([[{ visible: false }]]);
    expect(() => vi.runAllTimers()).toThrow("the application's own");
  });

  test("run the callbacks of toast buttons in the application", async () => {
    const { platform, last, sendAsShell, sent } = embedded();
    const [undo, cleared] = [vi.fn(), vi.fn()];
    const toastResult = platform.toast({
      title: "Removed",
      action: { label: "Undo", onClick: undo },
      onClear: cleared,
    });
    await flush();
    const { data: toast, error } = await toastResult;
    expect(error).toBeNull();
    expect(last("PLATFORM_TOAST")).toEqual({ id: toast?.id, title: "Removed", action: { label: "Undo" } });
    const changed = toast?.update({ title: "Still there", kind: "success" });
    await flush();
    expect((await changed)?.error).toBeNull();
    expect(last("PLATFORM_TOAST_UPDATE")).toMatchObject({ id: toast?.id, title: "Still there", kind: "success" });
    sendAsShell("PLATFORM_TOAST_ACTION", { id: toast?.id });
    sendAsShell("PLATFORM_TOAST_ACTION", { id: toast?.id });
    sendAsShell("PLATFORM_TOAST_CLEAR", { id: toast?.id });
    expect(undo).toHaveBeenCalledOnce();
    expect(cleared).not.toHaveBeenCalled();
    void toast?.dismiss();
    await flush();
    expect(sent.at(-1)).toMatchObject({ type: "PLATFORM_TOAST_DISMISS", payload: { id: toast?.id } });
  });

  test("wait for the user's choice in a dialog, which may be updated in the meantime", async () => {
    const { platform, last, sendAsShell } = embedded();
    const dialog = platform.dialog({ title: "Delete 3 orders?", mode: "delete" });
    await vi.advanceTimersByTimeAsync(3_600_000);
    const { id } = last("PLATFORM_DIALOG");
    expect((await dialog.update({ title: "Delete 4 orders?" })).error).toBeNull();
    expect(last("PLATFORM_DIALOG_UPDATE")).toEqual({ id, title: "Delete 4 orders?", mode: "delete" });
    sendAsShell("PLATFORM_DIALOG_OK", { id });
    expect(await dialog).toEqual({ data: "ok", error: null });
    const second = platform.dialog({ title: "And now?" });
    await vi.advanceTimersByTimeAsync(0);
    sendAsShell("PLATFORM_ERROR", { type: "PLATFORM_DIALOG", id: last("PLATFORM_DIALOG").id, code: "unavailable" });
    expect(await second).toEqual({ data: null, error: { code: "unavailable" } });
  });

  test("match storage responses by id and return their status on errors", async () => {
    const { platform, last, sendAsShell } = embedded("token");
    const listing = platform.storage.from("invoices").list("2026");
    await vi.advanceTimersByTimeAsync(0);
    const { id, ...call } = last("PLATFORM_STORAGE_REQUEST");
    expect(call).toEqual({ op: "list", bucket: "invoices", prefix: "2026" });
    sendAsShell("PLATFORM_STORAGE_RESPONSE", { id, data: [{ name: "1.pdf" }] });
    expect(await listing).toEqual({ data: [{ name: "1.pdf" }], error: null });
    const failed = platform.storage.from("invoices").remove("1.pdf");
    await vi.advanceTimersByTimeAsync(0);
    const pending = last("PLATFORM_STORAGE_REQUEST");
    expect(pending.paths).toEqual(["1.pdf"]);
    sendAsShell("PLATFORM_STORAGE_RESPONSE", { id: pending.id, error: { status: 413, code: "user_quota_exceeded" } });
    expect(await failed).toEqual({ data: null, error: { status: 413, code: "user_quota_exceeded" } });
    const unanswered = platform.storage.listBuckets();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await unanswered).toEqual({ data: null, error: { code: "timeout" } });
  });

  test("resolve a file selection with the items or as cancelled", async () => {
    const { platform, last, sendAsShell } = embedded("token");
    const chosen = platform.selectStorage({ mode: "files" });
    await vi.advanceTimersByTimeAsync(0);
    expect(last("PLATFORM_SELECT_STORAGE")).toMatchObject({ multiple: false, mode: "files" });
    sendAsShell("PLATFORM_SELECT_STORAGE_RESULT", { id: last("PLATFORM_SELECT_STORAGE").id, cancelled: true });
    expect(await chosen).toEqual({ data: { cancelled: true, items: [] }, error: null });
  });

  test("forward the shell's shortcuts and ignore events without a key", () => {
    const { dispatch, of } = embedded();
    const key = (fields: object) => dispatch("keydown", { key: "", ...fields });
    key({ key: "k", ctrlKey: true, metaKey: false });
    key({ key: "Escape", ctrlKey: false, metaKey: false });
    key({ key: "k", ctrlKey: true, metaKey: false, shiftKey: true });
    key({ key: "x", ctrlKey: true, metaKey: false });
    key({ key: undefined, ctrlKey: false, metaKey: false });
    expect(of("PLATFORM_HOTKEY").map(({ payload }) => payload.combo)).toEqual(["mod+k", "escape"]);
  });

  test("run the application's commands by the shell and by their shortcuts", async () => {
    const { platform, last, sendAsShell, dispatch } = embedded();
    const create = vi.fn();
    const command = { id: "new", title: "New order", shortcut: "mod+shift+y" };
    const result = platform.commands.set([{ ...command, onRun: create }]);
    await flush();
    expect((await result).error).toBeNull();
    const { id, commands } = last("PLATFORM_COMMANDS");
    expect(commands).toEqual([command]);
    sendAsShell("PLATFORM_COMMAND_RUN", { id, command: "new" });
    sendAsShell("PLATFORM_COMMAND_RUN", { id, command: "old" });
    dispatch("keydown", { key: "Y", ctrlKey: true, metaKey: false, shiftKey: true });
    dispatch("keydown", { key: "Y", ctrlKey: true, metaKey: false, shiftKey: false });
    expect(create).toHaveBeenCalledTimes(2);
  });

  test("log details only in developer mode", () => {
    const { platform, sendAsShell } = embedded();
    const debugLog = vi.spyOn(console, "debug").mockImplementation(() => undefined);
    const log = platform.getLogger("orders");
    log.debug("loaded", 3);
    sendAsShell("PLATFORM_SETTINGS_UPDATED", { version: 2, patch: { developer: { enabled: true } } });
    log.debug("loaded", 4);
    expect(debugLog.mock.calls).toEqual([["[orders]", "loaded", 4]]);
    debugLog.mockRestore();
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createPlatform } from "../../../shell/sdk/src/entries/full.ts";
import { createTiny } from "../../../shell/sdk/src/entries/tiny.ts";
import { fakePage, shellOrigin } from "../../support/sdk/fake-window.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const flush = () => vi.advanceTimersByTimeAsync(0);

describe("handshake", () => {
  test("requests settings twice within half a second, and continues without a shell after 1.5 s", async () => {
    const { page, of, sent } = fakePage();
    const platform = createPlatform(page, "0.0.0-test");
    const ready = platform.init();
    expect(of("PLATFORM_SETTINGS_REQUESTED")).toEqual([
      { type: "PLATFORM_SETTINGS_REQUESTED", payload: { sdk: "0.0.0-test" }, target: "*" },
    ]);
    await vi.advanceTimersByTimeAsync(499);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await ready).toEqual({ data: { embedded: false, level: null, settings: null, user: null }, error: null });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toHaveLength(2);
    expect(platform.embedded).toBe(false);
  });

  test("runs once, however often init is called", async () => {
    const { page, of, welcome } = fakePage();
    const platform = createPlatform(page, "0.0.0-test");
    const [first, second] = [platform.init({ router: "hash" }), platform.init()];
    welcome();
    expect(await first).toBe(await second);
    expect(await platform.ready).toBe(await first);
    await vi.advanceTimersByTimeAsync(2000);
    expect(of("PLATFORM_SETTINGS_REQUESTED")).toHaveLength(1);
    expect(of("PLATFORM_INITIALIZED")).toHaveLength(1);
    expect(platform.embedded).toBe(true);
  });

  test("sends every later message to the origin of the shell that responded", async () => {
    const { page, welcome, sent } = fakePage();
    const platform = createTiny(page, "0.0.0-test");
    welcome();
    await platform.ready;
    void platform.setTitle("Orders");
    await flush();
    expect(sent.slice(1).map(({ type, target }) => [type, target])).toEqual([
      ["PLATFORM_INITIALIZED", shellOrigin],
      ["PLATFORM_TITLE_CHANGED", shellOrigin],
    ]);
  });

  test("ends immediately outside of a frame and sends nothing", async () => {
    const { page, sent } = fakePage({ isFramed: false });
    const platform = createPlatform(page, "0.0.0-test");
    expect((await platform.init()).data.embedded).toBe(false);
    expect(await platform.toast("Saved")).toEqual({ data: null, error: { code: "not_embedded" } });
    expect(await platform.getAccessToken()).toEqual({ data: null, error: { code: "not_embedded" } });
    expect(await platform.dialog({ title: "Sure?" })).toEqual({ data: null, error: { code: "not_embedded" } });
    expect(await platform.selectStorage()).toEqual({ data: null, error: { code: "not_embedded" } });
    expect(sent).toEqual([]);
  });

  test("accepts a shell that responds late", async () => {
    const { page, welcome } = fakePage();
    const platform = createPlatform(page, "0.0.0-test");
    const listener = vi.fn();
    platform.on("settings", listener);
    const ready = platform.init({ timeout: 200 });
    await vi.advanceTimersByTimeAsync(200);
    expect((await ready).data.embedded).toBe(false);
    welcome();
    expect(platform.embedded).toBe(true);
    expect(listener).toHaveBeenCalledOnce();
  });
});

describe("messages that the library accepts", () => {
  test("must come from the first shell that responded", async () => {
    const { page, welcome, receive } = fakePage();
    const platform = createTiny(page, "0.0.0-test");
    welcome("user", { user: { id: "7" } });
    receive({ type: "PLATFORM_SESSION", v: 1, payload: { user: { id: "8" } } }, "https://evil.example.com");
    receive(
      { type: "PLATFORM_SETTINGS", v: 1, payload: { version: 9, level: "token", settings: {} } },
      "https://x.com",
    );
    expect(platform.user).toEqual({ id: "7" });
  });

  test("must come from origins that init allows", async () => {
    const { page, welcome } = fakePage();
    const platform = createPlatform(page, "0.0.0-test");
    const ready = platform.init({ shellOrigins: ["https://other.example.com"] });
    welcome();
    await vi.advanceTimersByTimeAsync(1500);
    expect((await ready).data.embedded).toBe(false);
  });

  test("must come from the parent window", () => {
    const { page, receive } = fakePage();
    const platform = createTiny(page, "0.0.0-test");
    const settings = { type: "PLATFORM_SETTINGS", v: 1, payload: { version: 1, level: "none", settings: {} } };
    receive(settings, shellOrigin, {});
    receive(settings, shellOrigin, page);
    receive(settings, shellOrigin, null);
    expect(platform.embedded).toBe(false);
  });

  test.each([
    null,
    1,
    "PLATFORM_SETTINGS",
    {},
    { type: "PLATFORM_SETTINGS" },
    { type: "PLATFORM_SETTINGS", v: 2, payload: { version: 1, level: "token", settings: {} } },
    { type: "PLATFORM_SETTINGS", v: 1, payload: null },
    { type: "PLATFORM_SESSION", v: 1, payload: { user: { id: "1" } } },
  ])("must start with a valid settings message (%#)", (message) => {
    const { page, receive } = fakePage();
    const platform = createTiny(page, "0.0.0-test");
    receive(message);
    expect(platform.embedded).toBe(false);
    expect(platform.user).toBeNull();
  });

  test("must not come from a shell with an opaque origin", () => {
    const { page, receive } = fakePage();
    const platform = createTiny(page, "0.0.0-test");
    receive({ type: "PLATFORM_SETTINGS", v: 1, payload: { version: 1, level: "none", settings: {} } }, "null");
    expect(platform.embedded).toBe(false);
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTiny } from "../../../shell/sdk/src/entries/tiny.ts";
import { fakePage } from "../../support/sdk/fake-window.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function embedded(path = "/list") {
  const shell = fakePage({ at: path });
  const platform = createTiny(shell.page, "0.0.0-test");
  shell.welcome();
  const reports = () => shell.of("PLATFORM_URL_CHANGED").map(({ payload }) => payload);
  return { ...shell, platform, reports };
}

describe("address sync of an application", () => {
  test("reports the current address once the shell has responded", async () => {
    const { reports } = embedded("/list?page=2#top");
    await vi.advanceTimersByTimeAsync(200);
    expect(reports()).toEqual([{ pathname: "/list", search: "?page=2", hash: "#top", replace: true }]);
  });

  test("reports a pushed history entry once, as an entry that the shell adds", async () => {
    const { history, entries, reports } = embedded();
    await vi.advanceTimersByTimeAsync(200);
    history.pushState({ key: "a" }, "", "/list/7");
    await vi.advanceTimersByTimeAsync(200);
    expect(entries.map(({ url, state }) => [url.pathname, state])).toEqual([["/list/7", { key: "a" }]]);
    expect(reports().at(-1)).toEqual({ pathname: "/list/7", search: "", hash: "", replace: false });
    history.replaceState(null, "", "/list/7?tab=notes");
    await vi.advanceTimersByTimeAsync(200);
    expect(reports().at(-1)).toEqual({ pathname: "/list/7", search: "?tab=notes", hash: "", replace: true });
  });

  test("reports a push followed by a replace as a push", async () => {
    const { history, reports } = embedded();
    await vi.advanceTimersByTimeAsync(200);
    history.pushState(null, "", "/old");
    history.replaceState(null, "", "/new");
    await vi.advanceTimersByTimeAsync(200);
    expect(reports().at(-1)).toEqual({ pathname: "/new", search: "", hash: "", replace: false });
    expect(reports()).toHaveLength(2);
  });

  test("reports at most ten times a second, with the last address", async () => {
    const { history, reports } = embedded();
    await vi.advanceTimersByTimeAsync(200);
    for (let step = 0; step < 100; step += 1) {
      history.replaceState(null, "", `/list?at=${step}`);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(200);
    expect(reports().length).toBeLessThanOrEqual(12);
    expect(reports().at(-1)?.search).toBe("?at=99");
  });

  test("navigates to the shell's address without a new entry or a report, and restores the state of that address", async () => {
    const { history, entries, goBy, reports, page, platform } = embedded();
    await vi.advanceTimersByTimeAsync(200);
    history.pushState({ key: "a" }, "", "/list/7");
    history.pushState({ key: "b" }, "", "/list/8#notes");
    await vi.advanceTimersByTimeAsync(200);
    const [onPopState, onHashChange, onNavigate] = [vi.fn(), vi.fn(), vi.fn()];
    page.addEventListener("popstate", ({ state }) => onPopState(state));
    page.addEventListener("hashchange", onHashChange);
    platform.on("navigate", onNavigate);
    const before = reports().length;
    goBy({ pathname: "/list/7" });
    await vi.advanceTimersByTimeAsync(200);
    expect(entries.map(({ url }) => url.pathname)).toEqual(["/list/7"]);
    expect(onPopState).toHaveBeenCalledWith({ key: "a" });
    expect(onHashChange).toHaveBeenCalledOnce();
    expect(onNavigate).toHaveBeenCalledWith({ pathname: "/list/7", search: "", hash: "" });
    expect(reports()).toHaveLength(before);
  });

  test("ignores navigation to another origin", async () => {
    const { goBy, page } = embedded();
    await vi.advanceTimersByTimeAsync(200);
    goBy({ pathname: "//evil.example.com/x" });
    expect(page.location.href).toBe("https://app.example.com//evil.example.com/x");
  });

  test("reports only while the application is visible, and only after the shell's navigation", async () => {
    const { history, sendAsShell, goBy, reports } = embedded();
    await vi.advanceTimersByTimeAsync(200);
    sendAsShell("PLATFORM_VISIBILITY", { visible: false });
    history.replaceState(null, "", "/elsewhere");
    await vi.advanceTimersByTimeAsync(500);
    expect(reports()).toHaveLength(1);
    sendAsShell("PLATFORM_VISIBILITY", { visible: true });
    goBy({ pathname: "/list/9" });
    await vi.advanceTimersByTimeAsync(500);
    expect(reports()).toHaveLength(1);
    sendAsShell("PLATFORM_VISIBILITY", { visible: false });
    history.replaceState(null, "", "/elsewhere");
    sendAsShell("PLATFORM_VISIBILITY", { visible: true });
    await vi.advanceTimersByTimeAsync(500);
    expect(reports().at(-1)).toMatchObject({ pathname: "/elsewhere", replace: true });
  });

  test("does not change the history outside of a shell", async () => {
    const { page, history, entries } = fakePage();
    createTiny(page, "0.0.0-test");
    await vi.advanceTimersByTimeAsync(2000);
    history.pushState(null, "", "/second");
    expect(entries).toHaveLength(2);
  });
});

import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { PageData } from "../../../../schemas/shell/page.ts";
import { loadAdapter } from "../../../../shell/client/src/session/adapters/adapter.ts";
import { createSession } from "../../../../shell/client/src/session/session.ts";
import { createStore } from "../../../../shell/client/src/store.ts";
import { pageConfig } from "../page-config.ts";
import { tokenOf } from "./tokens.ts";

const url = "https://id.example";
const key = "platform:session";
const user = { id: "7", email: "mina@example.com", name: "Mina", groups: [] };
const recordOf = (companyId: number) =>
  JSON.stringify({ v: 1, generation: 1, refreshToken: "prt_1", backend: url, companyId, user });

type Answer = { status?: number; body?: object; headers?: Record<string, string> };
type Service = (path: string) => Answer | undefined;

const tokens = (lifetime: number) => ({
  body: { access_token: tokenOf({ sub: "7", company_id: 1 }), refresh_token: "prt_2", expires_in: lifetime },
});

// The first request loads modules in real time, so it runs before the timers are mocked.
beforeAll(async () => void (await loadAdapter({ type: "platform", url, companyId: 1 })));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/**
 * Opens a tab with a stored record and a service. `calls` are the requested paths by the seconds since the first
 * request.
 */
function open(service: Service, record = recordOf(1)) {
  const stored = new Map([[key, record]]);
  const tab = new EventTarget();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => void stored.set(name, text),
    removeItem: (name: string) => void stored.delete(name),
  });
  vi.stubGlobal("addEventListener", tab.addEventListener.bind(tab));
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("BroadcastChannel", undefined);
  vi.stubGlobal("navigator", {
    locks: { request: (_: string, __: object, run: (lock: object) => unknown) => run({}) },
  });
  let startedAt: number | undefined;
  const calls: [string, number][] = [];
  vi.stubGlobal("fetch", async (requested: string) => {
    const { pathname } = new URL(requested);
    const path = pathname.replace("/api/v1/", "");
    startedAt ??= Date.now();
    calls.push([path, Math.floor((Date.now() - startedAt) / 1000)]);
    const { status = 200, body = {}, headers = {} } = service(path) ?? {};
    return Response.json(body, { status, headers });
  });
  const backend = { type: "platform" as const, url, companyId: 1 };
  const page = { config: pageConfig({ backend }) } satisfies Pick<PageData, "config">;
  const session = createSession(page, createStore({}));
  const timesOf = (path: string) => calls.filter(([name]) => name === path).map(([, time]) => time);
  const signedIn = () => vi.waitFor(() => expect(session.state.get().status).toBe("signed-in"), { timeout: 20_000 });
  return { session, stored, tab, timesOf, signedIn };
}

describe("a refresh with a requested delay", () => {
  test.each([
    [429, "0", [0, 2, 6, 14, 30, 62]],
    [503, "0", [0, 2, 6, 14, 30, 62]],
    [429, "25", [0, 25, 50, 75]],
  ])(
    "waits for both the requested delay and its own backoff with %i and Retry-After %s",
    async (status, wait, times) => {
      const { timesOf } = open(() => ({
        status,
        body: { error_code: "rate_limited" },
        headers: { "Retry-After": wait },
      }));
      await vi.waitFor(() => expect(timesOf("token")).toHaveLength(1), { timeout: 20_000 });
      await vi.advanceTimersByTimeAsync(80_000);
      expect(timesOf("token")).toEqual(times);
    },
  );
});

describe("a token", () => {
  test("is renewed when it expires earlier than requested, however long the requested time is", async () => {
    const { session, timesOf, signedIn } = open(() => tokens(600));
    await signedIn();
    await vi.advanceTimersByTimeAsync(100_000);
    await session.getAccessToken({ minTtl: 490 });
    expect(timesOf("token")).toHaveLength(1);
    await session.getAccessToken({ minTtl: 550 });
    expect(timesOf("token")).toHaveLength(2);
  });

  test("is not renewed for a requested time above its whole lifetime when it was just received", async () => {
    const { session, timesOf, signedIn } = open(() => tokens(600));
    await signedIn();
    for (let time = 0; time < 9; time += 1) {
      expect(await session.getAccessToken({ minTtl: 3600 })).not.toBeNull();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(timesOf("token")).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    await session.getAccessToken({ minTtl: 3600 });
    expect(timesOf("token")).toHaveLength(2);
  });
});

test("sends unsent preferences when the connection returns", async () => {
  let isThere = false;
  const { session, tab, timesOf, signedIn } = open((path) =>
    path === "token" ? tokens(600) : isThere ? {} : { status: 503 },
  );
  await signedIn();
  void session.updatePreferences({ colorScheme: "dark" });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(timesOf("preferences")).toHaveLength(1);
  isThere = true;
  tab.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(timesOf("preferences")).toHaveLength(2);
  tab.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(timesOf("preferences")).toHaveLength(2);
  expect(timesOf("token")).toHaveLength(1);
});

test("ignores a stored session of another company at the start", async () => {
  const { session, stored } = open(() => undefined, recordOf(2));
  expect(session.state.get().status).toBe("signed-out");
  expect(stored.has(key)).toBe(false);
});

import { describe, expect, test } from "vitest";
import type { SessionUser, Tokens } from "../../../../shell/client/src/session/adapters/adapter.ts";
import { refreshOnce, renewalLead, retryDelay } from "../../../../shell/client/src/session/refresh.ts";
import { serviceError } from "../../../../shell/client/src/session/service-error.ts";
import type { Lock } from "../../../../shell/client/src/session/tabs/lock.ts";
import type { Records, SessionRecord } from "../../../../shell/client/src/session/tabs/record.ts";
import { tokenOf } from "./tokens.ts";

const user = { id: "7", email: "mina@example.com" } as SessionUser;
const stored = (refreshToken: string | null = "prt_1", generation = 5): SessionRecord => ({
  v: 1,
  generation,
  refreshToken,
  backend: "https://id.example",
  companyId: 1,
  user,
});

function recordsOf(first: SessionRecord | null) {
  let record = first;
  const records: Records = {
    read: () => record,
    write: (next) => {
      record = { v: 1, backend: "https://id.example", companyId: 1, ...next };
    },
    clear: () => {
      record = null;
    },
    listen: () => undefined,
  };
  return { records, now: () => record };
}

const lock: Lock = (work) => work(false);
const newTokens: Tokens = { accessToken: tokenOf({ sub: "7", company_id: 1 }), refreshToken: "prt_2", expiresIn: 300 };

describe("a refresh", () => {
  test("rotates the token once, and writes the record before the lock is released", async () => {
    const { records, now } = recordsOf(stored());
    const generations: (number | undefined)[] = [];
    const watched: Lock = async (work) => {
      const value = await work(false);
      generations.push(now()?.generation);
      return value;
    };
    const outcome = await refreshOnce({ adapter: { refresh: async () => newTokens }, records, lock: watched }, 5);
    expect(outcome.kind).toBe("rotated");
    expect(generations).toEqual([6]);
    expect(now()).toMatchObject({ generation: 6, refreshToken: "prt_2", user: { id: "7" } });
  });

  test("sends no request when another tab has already refreshed the session", async () => {
    const { records } = recordsOf(stored("prt_2", 6));
    const refresh = () => Promise.reject(new Error("was called"));
    expect(await refreshOnce({ adapter: { refresh }, records, lock }, 5)).toMatchObject({ kind: "newer" });
  });

  test("sends no request after another tab held the lock, because that tab's record may not be visible yet", async () => {
    const { records } = recordsOf(stored());
    const refresh = () => Promise.reject(new Error("was called"));
    const lockAfterWait: Lock = (work) => work(true);
    expect(await refreshOnce({ adapter: { refresh }, records, lock: lockAfterWait }, 5)).toEqual({ kind: "waited" });
  });

  test.each([
    [null, "gone"],
    [stored(null), "gone"],
  ])("does nothing without a session", async (record, kind) => {
    const { records } = recordsOf(record);
    const refresh = () => Promise.reject(new Error("was called"));
    expect(await refreshOnce({ adapter: { refresh }, records, lock }, 5)).toEqual({ kind });
  });

  test("keeps a sign-out that happens during the request", async () => {
    const { records, now } = recordsOf(stored());
    const refresh = async () => {
      records.clear();
      return newTokens;
    };
    expect(await refreshOnce({ adapter: { refresh }, records, lock }, 5)).toEqual({ kind: "gone" });
    expect(now()).toBeNull();
  });

  const cases: [string, number, number | null, object][] = [
    ["token_invalid", 401, null, { kind: "ended" }],
    ["refresh_token_reused", 401, null, { kind: "ended" }],
    ["validation_failed", 400, null, { kind: "ended" }],
    ["company_mismatch", 403, null, { kind: "dropped" }],
    ["access_pending", 403, null, { kind: "pending", code: "access_pending" }],
    ["access_denied", 403, null, { kind: "pending", code: "access_denied" }],
    ["forbidden", 403, null, { kind: "pending", code: "forbidden" }],
    ["rate_limited", 429, 17, { kind: "later", wait: 17 }],
    ["service_unavailable", 503, null, { kind: "later", wait: null }],
    ["unreachable", 0, null, { kind: "later", wait: null }],
    ["http_404", 404, null, { kind: "later", wait: null }],
  ];
  test.each(cases)("maps the error %s (%i, Retry-After %s) to %j", async (code, status, retryAfter, outcome) => {
    const { records, now } = recordsOf(stored());
    const refresh = () => Promise.reject(serviceError(code, { status, retryAfter }));
    expect(await refreshOnce({ adapter: { refresh }, records, lock }, 5)).toEqual(outcome);
    const kind = (outcome as { kind: string }).kind;
    if (kind === "ended") expect(now()).toMatchObject({ refreshToken: null, user: null, generation: 6 });
    else if (kind === "dropped") expect(now()).toBeNull();
    else expect(now()).toEqual(stored());
  });

  test("ignores a 401 for a token that is no longer stored", async () => {
    const { records, now } = recordsOf(stored());
    const refresh = () => {
      records.write({ generation: 6, refreshToken: "prt_2", user });
      return Promise.reject(serviceError("refresh_token_reused", { status: 401 }));
    };
    expect(await refreshOnce({ adapter: { refresh }, records, lock }, 5)).toMatchObject({ kind: "newer" });
    expect(now()?.refreshToken).toBe("prt_2");
  });

  test("rejects an unreadable token", async () => {
    const { records, now } = recordsOf(stored());
    const refresh = async () => ({ ...newTokens, accessToken: "nonsense" });
    expect(await refreshOnce({ adapter: { refresh }, records, lock }, 5)).toEqual({ kind: "ended" });
    expect(now()?.refreshToken).toBeNull();
  });
});

test("renews a token 90 s before its expiry, and a short-lived token at half its lifetime", () => {
  expect([300_000, 180_000, 179_000, 60_000].map(renewalLead)).toEqual([90_000, 90_000, 89_500, 30_000]);
});

test("waits 2, 4, 8 and at most 60 s between attempts without a response", () => {
  expect([0, 1, 2, 3, 4, 5, 40].map(retryDelay)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { afterEach, describe, expect, it } from "vitest";
import { sessions } from "../../../db/identity/schema";
import { clock } from "../../../workers/kit/clock";
import {
  callerWith,
  createPatFor,
  expectJson,
  readError,
  signInMember,
  signInNewMember,
  type TestUser,
} from "../../support/identity/account";
import { createCompany, type Tokens } from "../../support/identity/identity";
import { readRows, updateRows } from "../../support/identity/rows";

const systemNow = clock.now;
afterEach(() => {
  clock.now = systemNow;
});

const path = "/api/v1/sessions";
type Session = { id: string; current: boolean; created_at: string; last_refresh_at: string; expires_at: string };
type Page = { count: number; page: number; page_size: number; results: Session[] };

const list = async (user: Pick<TestUser, "call">, query = "") =>
  expectJson<Page>(await user.call("GET", `${path}${query}`));
const sidOf = (user: TestUser) => String(decodeJwt(user.tokens.access_token).sid);
const refresh = (user: TestUser) =>
  user.call("POST", "/api/v1/token?grant_type=refresh_token", { refresh_token: user.tokens.refresh_token });

describe("the caller's sessions", () => {
  it("lists the caller's sessions newest first, with the current one marked", async () => {
    const first = await signInNewMember();
    clock.now = () => systemNow() + 1000;
    const second = await signInMember(first.company, first.email);
    const [row] = await readRows(sessions, eq(sessions.id, sidOf(second)));
    const iso = (ms: number | undefined) => new Date(ms ?? 0).toISOString();
    const page = await list(second);
    expect(page).toMatchObject({ count: 2, page: 1, page_size: 20 });
    expect(page.results[0]).toEqual({
      id: sidOf(second),
      created_at: iso(row?.created_at),
      last_refresh_at: iso(row?.rotated_at),
      expires_at: iso(row?.idle_expires_at),
      provider: "magic_link",
      country: null,
      user_agent: "",
      current: true,
    });
    expect(page.results[1]).toMatchObject({ id: sidOf(first), current: false });
    expect((await list(first)).results.map(({ current }) => current)).toEqual([false, true]);
    expect((await list(first, "?page=2&page_size=1")).results.map(({ id }) => id)).toEqual([sidOf(first)]);
  });

  it("shows when each session was refreshed", async () => {
    const user = await signInNewMember();
    const [before] = (await list(user)).results;
    clock.now = () => systemNow() + 60_000;
    const { access_token } = await expectJson<Tokens>(await refresh(user));
    const [after] = (await list({ call: callerWith(user.env, access_token) })).results;
    expect(after?.created_at).toBe(before?.created_at);
    expect(Date.parse(after?.last_refresh_at ?? "")).toBeGreaterThanOrEqual(
      Date.parse(before?.created_at ?? "") + 60_000,
    );
    expect(Date.parse(after?.expires_at ?? "")).toBeGreaterThan(Date.parse(before?.expires_at ?? ""));
  });

  it("lists only the user's live sessions of the token's company", async () => {
    const user = await signInNewMember();
    await signInMember(user.company, `${crypto.randomUUID().slice(0, 8)}@example.com`);
    const elsewhere = await signInMember(await createCompany(), user.email);
    const ended = await signInMember(user.company, user.email);
    await ended.call("POST", "/api/v1/logout", {});
    const old = await signInMember(user.company, user.email);
    await updateRows(sessions, { idle_expires_at: 1 }, eq(sessions.id, sidOf(old)));
    expect((await list(user)).results.map(({ id }) => id)).toEqual([sidOf(user)]);
    expect((await list(elsewhere)).results.map(({ id }) => id)).toEqual([sidOf(elsewhere)]);
  });

  it("ends a session immediately for bearer and refresh token, and is idempotent", async () => {
    const user = await signInNewMember();
    const other = await signInMember(user.company, user.email);
    expect((await user.call("DELETE", `${path}/${sidOf(other)}`)).status).toBe(204);
    expect((await user.call("DELETE", `${path}/${sidOf(other)}`)).status).toBe(204);
    expect(await readError(await other.call("GET", "/api/v1/user"))).toEqual([401, "token_invalid"]);
    expect(await readError(await refresh(other))).toEqual([401, "token_invalid"]);
    expect((await list(user)).count).toBe(1);
    expect((await user.call("DELETE", `${path}/${sidOf(user)}`)).status).toBe(204);
    expect(await readError(await user.call("GET", path))).toEqual([401, "token_invalid"]);
  });

  it("returns 404 for sessions of other users and companies and for malformed ids, and keeps those sessions", async () => {
    const user = await signInNewMember();
    const colleague = await signInMember(user.company, `${crypto.randomUUID().slice(0, 8)}@example.com`);
    const elsewhere = await signInMember(await createCompany(), user.email);
    for (const id of [sidOf(colleague), sidOf(elsewhere), crypto.randomUUID(), "x", "1", sidOf(user).toUpperCase()]) {
      expect(await readError(await user.call("DELETE", `${path}/${id}`))).toEqual([404, "not_found"]);
    }
    expect((await colleague.call("GET", path)).status).toBe(200);
    expect((await elsewhere.call("GET", path)).status).toBe(200);
  });

  it("lets any personal access token list sessions without a current one, but only a writable token end them", async () => {
    const user = await signInNewMember();
    const reader = callerWith(user.env, await createPatFor(user, { readOnly: true }));
    const writer = callerWith(user.env, await createPatFor(user));
    expect((await list({ call: reader })).results).toMatchObject([{ id: sidOf(user), current: false }]);
    expect(await readError(await reader("DELETE", `${path}/${sidOf(user)}`))).toEqual([403, "pat_read_only"]);
    expect((await writer("DELETE", `${path}/${sidOf(user)}`)).status).toBe(204);
    expect(await readError(await user.call("GET", path))).toEqual([401, "token_invalid"]);
  });

  it.each(["?page=0", "?page=x", "?page_size=101", "?page_size=0"])("rejects the query %s", async (query) => {
    const user = await signInNewMember();
    expect(await readError(await user.call("GET", `${path}${query}`))).toEqual([400, "validation_failed"]);
  });
});

import { decodeJwt } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { BOOKMARK_HEADER } from "../../workers/kit/http/bookmark";
import { lagBehind } from "../support/db/lagging-database";
import { createTestUser, type TestUser } from "../support/identity/admin";
import { callIdentity, createCompany, createMailbox, identityEnv, json } from "../support/identity/identity";

const path = "/api/v1/oauth-redirects";
let company: Awaited<ReturnType<typeof createCompany>>;
let owner: TestUser;

beforeAll(async () => {
  company = await createCompany();
  owner = await createTestUser(company, { owner: true });
});

/** Starts identity with a database whose replica keeps returning its first results. */
function start(refuses: readonly string[] = []) {
  const env = identityEnv(createMailbox());
  const replica = lagBehind(env.DB, refuses);
  const headers = { authorization: `Bearer ${owner.bearer}` };
  const list = async (bookmark?: string) => {
    const requestHeaders = bookmark === undefined ? headers : { ...headers, [BOOKMARK_HEADER]: bookmark };
    replica.starts.length = 0;
    const response = await callIdentity({ ...env, DB: replica.db }, path, { headers: requestHeaders });
    expect(response.status).toBe(200);
    return ((await response.json()) as { results: { label: string }[] }).results.map(({ label }) => label);
  };
  const post = (url: string, body: object) =>
    callIdentity({ ...env, DB: replica.db }, url, { method: "POST", ...json(body, headers) });
  const add = (label: string) => post(path, { base_url: `https://${crypto.randomUUID()}.example`, label });
  return { ...replica, env, list, add, post };
}

describe("lists", () => {
  it("reads lists from any replica, or from one that is at least as new as the bookmark in the request", async () => {
    const { list, add, starts } = start();
    const before = await list();
    expect(starts).toEqual(["first-primary", "first-unconstrained"]);
    const added = await add("mine");
    expect(added.status).toBe(201);
    const bookmark = added.headers.get(BOOKMARK_HEADER) ?? "";
    expect(bookmark).toMatch(/^[0-9a-f-]+$/);
    // Without the bookmark, the stale replica still returns the old list.
    expect(await list()).toEqual(before);
    expect(await list(bookmark)).toContain("mine");
    expect(starts).toEqual(["first-primary", bookmark]);
  });

  it.each(["garbage", "first-primary", "0".repeat(101), ""])("ignores %j as a bookmark", async (bookmark) => {
    const { list, starts } = start();
    await list(bookmark);
    expect(starts).toEqual(["first-primary", "first-unconstrained"]);
  });

  it("reads lists from the primary when the database rejects the bookmark", async () => {
    const strange = "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff";
    const { list, add } = start([strange]);
    await list();
    await add("known to the primary");
    expect(await list(strange)).toContain("known to the primary");
  });

  it("checks the caller on the primary, so a session that just ended reads no list", async () => {
    const { env, db, starts } = start();
    const removedUser = await createTestUser(company, { owner: true });
    const headers = { authorization: `Bearer ${removedUser.bearer}` };
    const listAsRemovedUser = () => callIdentity({ ...env, DB: db }, path, { headers });
    expect((await listAsRemovedUser()).status).toBe(200);
    const session = `/api/v1/sessions/${decodeJwt(removedUser.bearer).sid}`;
    expect((await callIdentity(env, session, { method: "DELETE", headers })).status).toBe(204);
    const response = await listAsRemovedUser();
    expect([response.status, starts.slice(-2)]).toEqual([401, ["first-primary", "first-unconstrained"]]);
    expect(await response.text()).not.toContain("results");
  });
});

describe("bookmarks", () => {
  it("returns a bookmark only for a successful mutation", async () => {
    const { env, post } = start();
    const response = await post(path, { base_url: "no url" });
    expect([response.status, response.headers.get(BOOKMARK_HEADER)]).toEqual([400, null]);
    const headers = { authorization: `Bearer ${owner.bearer}` };
    const read = await callIdentity(env, path, { headers });
    expect([read.status, read.headers.get(BOOKMARK_HEADER)]).toEqual([200, null]);
  });
});

import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { requestHash, uuid, uuidOfRequest } from "../../../workers/kit/ids";
import { createAdministration } from "../../support/identity/administration";
import { callIdentity, freshEmail, json } from "../../support/identity/identity";
import { storeEntries } from "../../support/identity/rows";

type Page = { count?: number; results: { id: number; event_type?: string }[]; next_cursor: string | null };

const events = "/api/v1/events";
const logins = "/api/v1/login-events";

async function setUp() {
  const administration = await createAdministration();
  const list = async (path: string, query: string) => {
    const { status, body } = await administration.owner.call("GET", `${path}?${query}`);
    expect(status, query).toBe(200);
    return body as unknown as Page;
  };
  /** Returns the types of the events of a request. */
  const typesOf = async (requestId: string, query = "") =>
    (await list(events, `request_id=${requestId}${query}`)).results.map(({ event_type }) => event_type);
  return { ...administration, list, typesOf };
}

it("lists the events and sign-ins that the request with an X-Request-ID wrote", async () => {
  const { env, mailbox, company, owner, list, typesOf } = await setUp();
  const email = freshEmail();
  const send = async (path: string, body: object, requestId: string) =>
    (await callIdentity(env, path, json({ company_id: company.id, ...body }, { "x-request-id": requestId }))).status;
  const link = { email, redirect_to: `${company.origin}/login/callback` };
  expect(await send("/api/v1/magic-link/request", link, "link-7")).toBe(200);
  const token = new URL(mailbox.sent.at(-1)?.variables.magic_link_url ?? "").searchParams.get("token");
  expect(await send("/api/v1/magic-link/verify", { token }, "first.use_7")).toBe(200);
  expect(await send("/api/v1/magic-link/verify", { token }, "second-use")).toBe(400);

  expect(await typesOf("link-7")).toEqual(["identity.auth.magic_link.requested"]);
  expect(await typesOf("first.use_7")).toEqual(["identity.user.created", "identity.auth.login.succeeded"]);
  expect(await typesOf("first.use_7", "&event_type=identity.user.created")).toEqual(["identity.user.created"]);
  expect(await typesOf("first.use_7", `&user_id=${owner.id}`)).toEqual([]);
  expect(await typesOf("other")).toEqual([]);
  const refused = await list(logins, "request_id=second-use");
  expect([refused.count, refused.results]).toEqual([
    1,
    [expect.objectContaining({ outcome: "failure", user_email: email, failure_reason: "magic_link_invalid" })],
  ]);
  expect((await list(logins, "request_id=first.use_7&outcome=failure")).results).toEqual([]);
});

it("finds a generated request id in one page, and any other request id in cursor pages", async () => {
  const { env, company, owner, list, typesOf } = await setUp();
  const generated = uuid();
  const rename = (requestId: string) =>
    callIdentity(env, `/api/v1/companies/${company.id}`, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${owner.token}`,
        "content-type": "application/json",
        "x-request-id": requestId,
      },
      body: JSON.stringify({ name: requestId }),
    });
  for (const requestId of [generated, "mine"]) expect((await rename(requestId)).status).toBe(200);
  await storeEntries(company.id, 4500, {
    event_type: "identity.user.updated",
    created_at: sql`${Date.now() + 3_600_000} + i`,
  });

  expect(await typesOf(generated)).toEqual(["identity.company.updated"]);
  // A given period replaces the time of the request id.
  const later = new Date(Date.now() + 1_800_000).toISOString();
  expect(await typesOf(generated, `&created_after=${later}`)).toEqual([]);
  const pages = [await list(events, "request_id=mine")];
  while (pages.at(-1)?.next_cursor && pages.length < 9) {
    pages.push(await list(events, `request_id=mine&cursor=${pages.at(-1)?.next_cursor}`));
  }
  expect(pages.map(({ results }) => results.length)).toEqual([0, 0, 1]);
  expect(await typesOf("mine", `&created_before=${later}`)).toEqual(["identity.company.updated"]);
});

it("rejects a request id that X-Request-ID may not have", async () => {
  const { owner } = await setUp();
  for (const path of [events, "/api/v1/actions/event-log", logins]) {
    for (const value of ["", "a".repeat(65), "a%20b", "a%00", "%F0%9F%98%80"]) {
      const { status, body } = await owner.call("GET", `${path}?request_id=${value}`);
      expect([status, body.field_errors], `${path} ${value}`).toEqual([400, { request_id: ["invalid"] }]);
    }
  }
});

it("gives the events of one request different ids that sort in their order", () => {
  const ids = Array.from({ length: 5000 }, () => uuidOfRequest("same"));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every((id) => id.endsWith(requestHash("same")))).toBe(true);
  const hashes = Array.from({ length: 10_000 }, (_, i) => requestHash(`r${i}`));
  expect(new Set(hashes).size).toBe(hashes.length);
});

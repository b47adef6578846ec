import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { suppressions } from "../../../db/email/schema";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import { startEmail } from "../../support/email/email";
import { readRows } from "../../support/email/rows";

const PATH = "/api/v1/suppressions";

type List = { suppressions: { id: number; email_masked: string }[]; next_cursor: string | null };

it("stores the address of a suppression as a hash and returns it masked", async () => {
  const email = await startEmail();
  const { companyId, owner } = await startCompany(email);
  const created = await email.call(PATH, { bearer: owner, json: { email: " Anna.Lee@Example.com " } });
  expect(created.status).toBe(201);
  const body = (await created.json()) as { id: number };
  expect(body).toEqual({ id: expect.any(Number), email_masked: "a***@example.com", reason: "manual" });
  const list = await email.call(PATH, { bearer: owner });
  expect(list.headers.get("cache-control")).toBe("no-store");
  expect(await list.json()).toEqual({
    suppressions: [{ ...body, lanes: [], expires_at: null, created_at: expect.stringMatching(/Z$/) }],
    next_cursor: null,
  });
  const [row] = await readRows(suppressions, eq(suppressions.company_id, companyId));
  expect(JSON.stringify(row)).not.toContain("anna.lee");
  expect(row?.email_hmac).toMatch(/^[0-9a-f]{64}$/);
});

it("ignores the case and Unicode form of suppressed addresses", async () => {
  const email = await startEmail();
  const { companyId, owner } = await startCompany(email);
  expect((await email.call(PATH, { bearer: owner, json: { email: "zoe\u0301@example.com" } })).status).toBe(201);
  expect((await email.call(PATH, { bearer: owner, json: { email: "ZO\u00c9@example.com" } })).status).toBe(201);
  expect(await readRows(suppressions, eq(suppressions.company_id, companyId))).toHaveLength(1);
});

it("updates the row of the same address and reason and returns its id", async () => {
  const email = await startEmail();
  const { owner } = await startCompany(email);
  const add = async (json: unknown) =>
    (await (await email.call(PATH, { bearer: owner, json })).json()) as { id: number };
  const first = await add({ email: "a@example.com", reason: "hard_bounce" });
  const again = await add({
    email: "A@EXAMPLE.COM",
    reason: "hard_bounce",
    lanes: ["auth", "auth"],
    expires_at: "2030-01-02T03:04:05+01:00",
  });
  const other = await add({ email: "a@example.com", reason: "complaint", lanes: ["bulk"] });
  expect(again.id).toBe(first.id);
  expect(other.id).not.toBe(first.id);
  const list = (await (await email.call(PATH, { bearer: owner })).json()) as List;
  expect(list.suppressions).toMatchObject([
    { id: other.id, reason: "complaint", lanes: ["bulk"] },
    { id: first.id, reason: "hard_bounce", lanes: ["auth"], expires_at: "2030-01-02T02:04:05.000Z" },
  ]);
});

it.each([
  [{}, { email: ["required"] }],
  [{ email: "" }, { email: ["required"] }],
  [{ email: 5 }, { email: ["invalid_format"] }],
  [{ email: "no address" }, { email: ["invalid_format"] }],
  [{ email: "a@b.com\r\nBcc: x@y.com" }, { email: ["invalid_format"] }],
  [{ email: "a\u0000@b.com" }, { email: ["invalid_format"] }],
  [{ email: "a@b.com", reason: "other" }, { reason: ["invalid"] }],
  [{ email: "a@b.com", reason: null }, { reason: ["invalid"] }],
  [{ email: "a@b.com", lanes: "bulk" }, { lanes: ["invalid"] }],
  [{ email: "a@b.com", lanes: ["news"] }, { lanes: ["invalid"] }],
  [{ email: "a@b.com", lanes: ["auth"] }, { lanes: ["invalid"] }],
  [{ email: "a@b.com", expires_at: "tomorrow" }, { expires_at: ["invalid"] }],
  [{ email: "a@b.com", expires_at: 17 }, { expires_at: ["invalid"] }],
])("rejects the suppression %j", async (json, fields) => {
  const email = await startEmail();
  const { owner } = await startCompany(email);
  expect(await problemOf(await email.call(PATH, { bearer: owner, json }))).toEqual([400, "validation_failed", fields]);
});

it("rejects a suppression that is not a JSON object", async () => {
  const email = await startEmail();
  const { owner } = await startCompany(email);
  const post = (body: string, type = "application/json") =>
    email.call(PATH, { method: "POST", bearer: owner, body, headers: { "content-type": type } });
  expect((await post("[]")).status).toBe(400);
  expect((await post("{")).status).toBe(400);
  expect((await post("email=a@b.com", "application/x-www-form-urlencoded")).status).toBe(415);
  expect((await post(JSON.stringify({ email: "x".repeat(70_000) }))).status).toBe(413);
});

it("returns each suppression once across pages, newest first, and filters by address", async () => {
  const email = await startEmail();
  const { owner } = await startCompany(email);
  for (let i = 0; i < 5; i++) await email.call(PATH, { bearer: owner, json: { email: `user${i}@example.com` } });
  const ids: number[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `${PATH}?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`;
    const page = (await (await email.call(path, { bearer: owner })).json()) as List;
    ids.push(...page.suppressions.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(ids).toHaveLength(5);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
  const filtered = (await (await email.call(`${PATH}?email=USER3@example.com`, { bearer: owner })).json()) as List;
  expect(filtered.suppressions).toHaveLength(1);
  expect(filtered.suppressions[0]?.email_masked).toBe("u***@example.com");
});

it.each([
  ["limit=0", { limit: ["out_of_range"] }],
  ["limit=201", { limit: ["out_of_range"] }],
  ["limit=ten", { limit: ["invalid"] }],
  ["limit=", { limit: ["invalid"] }],
  ["cursor=%00", { cursor: ["invalid"] }],
  ["cursor=WyJ4Il0", { cursor: ["invalid"] }],
  ["limit=0&cursor=!", { limit: ["out_of_range"], cursor: ["invalid"] }],
  ["email=nobody", { email: ["invalid_format"] }],
])("rejects a list of suppressions with the query %s", async (query, fields) => {
  const email = await startEmail();
  const { owner } = await startCompany(email);
  expect(await problemOf(await email.call(`${PATH}?${query}`, { bearer: owner }))).toEqual([
    400,
    "validation_failed",
    fields,
  ]);
});

it("deletes a suppression once, and hides suppressions of another company", async () => {
  const email = await startEmail();
  const { companyId, owner, staff } = await startCompany(email);
  const stranger = await startCompany(email);
  const created = await email.call(PATH, { bearer: owner, json: { email: "a@example.com" } });
  const { id } = (await created.json()) as { id: number };
  const remove = (bearer: string, path: string) => send(email, bearer, { method: "DELETE", path });
  expect(await problemOf(await remove(stranger.owner, `${PATH}/${id}`))).toEqual([404, "not_found"]);
  expect(await problemOf(await remove(staff, `${PATH}/${id}?company_id=${stranger.companyId}`))).toEqual([
    404,
    "not_found",
  ]);
  for (const bad of ["0", "-1", "1.0", "abc", "99999999999999999999", "%F0%9F%98%80"]) {
    expect(await problemOf(await remove(owner, `${PATH}/${bad}`))).toEqual([404, "not_found"]);
  }
  const list = (await (await email.call(PATH, { bearer: stranger.owner })).json()) as List;
  expect(list.suppressions).toEqual([]);
  expect((await remove(staff, `${PATH}/${id}`)).status).toBe(204);
  expect(await problemOf(await remove(owner, `${PATH}/${id}?company_id=${companyId}`))).toEqual([404, "not_found"]);
});

it("reads the company of a suppression from the query, the body or the token", async () => {
  const email = await startEmail();
  const { companyId, owner, staff } = await startCompany(email);
  const post = (bearer: string, query: string, json: unknown) => email.call(`${PATH}${query}`, { bearer, json });
  expect((await post(staff, `?company_id=${companyId}`, { email: "a@example.com" })).status).toBe(201);
  expect((await post(staff, "", { email: "b@example.com", company_id: companyId })).status).toBe(201);
  expect(await problemOf(await email.call(PATH, { bearer: staff }))).toEqual([
    400,
    "validation_failed",
    { company_id: ["required"] },
  ]);
  expect(await problemOf(await post(owner, `?company_id=${companyId}`, { company_id: companyId + 1 }))).toEqual([
    400,
    "validation_failed",
    { company_id: ["mismatch"] },
  ]);
  // The company is authorized before the body is validated.
  expect(await problemOf(await post(owner, "", { company_id: companyId + 1 }))).toEqual([403, "company_mismatch"]);
});

it("limits changes of suppressions per user", async () => {
  const email = await startEmail({ vars: { API_MUTATION_RATE_LIMIT: "2/min" } });
  const { owner } = await startCompany(email);
  const post = () => email.call(PATH, { bearer: owner, json: {} });
  expect((await post()).status).toBe(400);
  expect((await post()).status).toBe(400);
  const rejected = await post();
  expect(await problemOf(rejected)).toEqual([429, "rate_limited"]);
  expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
});

it("rejects callers who may not manage suppressions", async () => {
  const email = await startEmail();
  await expectGuards(email, { method: "GET", path: PATH });
  await expectGuards(email, { method: "POST", path: PATH, json: {} });
  await expectGuards(email, { method: "DELETE", path: `${PATH}/1` });
});

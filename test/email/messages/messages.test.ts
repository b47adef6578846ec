import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { messages } from "../../../db/email/schema";
import { meterDatabase } from "../../support/db/metered-database";
import { createCompany, createKey, magicLink, startEmail, testEnv } from "../../support/email/email";
import { countsOf, idAt } from "../../support/email/messages";
import { changeMessage, insertRows, readRows, updateRows } from "../../support/email/rows";

const email = await startEmail();

async function accept(companyId: number, overrides: Record<string, unknown> = {}) {
  const { key } = await createKey();
  const response = await email.call("/api/v1/send", { bearer: key, json: magicLink(companyId, overrides) });
  const body = (await response.json()) as { messages: { id: string }[] };
  return { key, id: body.messages[0]?.id ?? "", ids: body.messages.map(({ id }) => id) };
}

/** Creates a message that has had no attempt when the response arrives. */
async function waiting(companyId: number) {
  const accepted = await accept(companyId);
  const waits = { status: "queued", next_attempt_at: Date.now() } as const;
  const untouched = { ...waits, lease_token: null, attempt_count: 0, provider: "" } as const;
  await updateRows(messages, untouched, eq(messages.company_id, companyId));
  return accepted;
}

async function get(path: string, bearer: string, init: RequestInit = {}) {
  const response = await email.call(path, { bearer, ...init });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("the status of a message", () => {
  it("is visible only to the service that created the message, to staff and to the owner", async () => {
    const company = createCompany();
    const { key, id } = await accept(company);
    const path = `/api/v1/messages/${id}`;
    const details = await get(path, key);
    expect(details.status).toBe(200);
    expect(details.body).toMatchObject({
      id,
      company_id: company,
      service: "identity",
      template_key: "identity.auth.magic_link.requested",
      lane: "auth",
      to_masked: "m***@example.com",
    });
    expect((details.body.events as { type: string }[])[0]?.type).toBe("queued");
    const staff = await email.token({ isStaff: true, companyId: createCompany() });
    const owner = await email.token({ isOwner: true, companyId: company });
    expect((await get(path, staff)).status).toBe(200);
    expect((await get(path, owner)).status).toBe(200);
    const other = await createKey({ service: "storage" });
    const elsewhere = await createKey({ companies: [createCompany()] });
    const member = await email.token({ companyId: company });
    const foreign = await email.token({ isOwner: true, companyId: createCompany() });
    for (const bearer of [other.key, elsewhere.key, member, foreign]) {
      expect(await get(path, bearer)).toMatchObject({ status: 403, body: { error_code: "forbidden" } });
    }
  });

  it("is found by the message's UUID, and returns 404 for unknown and malformed ids", async () => {
    const { key, id } = await accept(createCompany());
    const hex = id.slice(4);
    const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
    expect((await get(`/api/v1/messages/${uuid}/`, key)).body.id).toBe(id);
    for (const unknown of [`msg_${"0".repeat(32)}`, "msg_x", "1", hex.toUpperCase()]) {
      expect(await get(`/api/v1/messages/${unknown}`, key)).toMatchObject({
        status: 404,
        body: { error_code: "message_not_found" },
      });
    }
    expect((await get(`/api/v1/messages/${id}`, "esk_none")).status).toBe(401);
  });
});

describe("the cancellation of a message", () => {
  it("cancels a waiting message once, deletes its variables and corrects the statistics", async () => {
    const company = createCompany();
    const { key, id } = await waiting(company);
    expect(await countsOf(company)).toEqual({ queued: 1 });
    const path = `/api/v1/messages/${id}/cancel`;
    expect(await get(path, key, { method: "POST" })).toEqual({ status: 200, body: { id, status: "cancelled" } });
    expect(await get(path, key, { method: "POST" })).toMatchObject({
      status: 409,
      body: { error_code: "message_not_cancellable" },
    });
    const rows = await readRows(messages, eq(messages.company_id, company));
    expect(rows.map(({ variables_enc }) => variables_enc)).toEqual([null]);
    expect(await countsOf(company)).toEqual({ cancelled: 1 });
    const { body } = await get(`/api/v1/messages/${id}`, key);
    expect((body.events as { type: string }[]).at(-1)?.type).toBe("cancelled");
  });

  it("keeps the first and the newest events of a message with very many events", async () => {
    const company = createCompany();
    const { key, id } = await waiting(company);
    const steps = Array.from({ length: 50 }, (_, at) => ({ type: at === 0 ? "queued" : "retrying", at }));
    await changeMessage(id.slice(4), { events: steps });
    await get(`/api/v1/messages/${id}/cancel`, key, { method: "POST" });
    const events = (await get(`/api/v1/messages/${id}`, key)).body.events as { type: string; at: string }[];
    expect(events).toHaveLength(50);
    expect(events.slice(0, 2).map(({ at }) => Date.parse(at))).toEqual([0, 2]);
    expect(events.at(-1)?.type).toBe("cancelled");
  });

  it("succeeds for one of several parallel requests, and rejects a message that is being sent", async () => {
    const company = createCompany();
    const { id } = await waiting(company);
    const owner = await email.token({ isOwner: true, companyId: company });
    const path = `/api/v1/messages/${id}/cancel`;
    const responses = await Promise.all(Array.from({ length: 8 }, () => get(path, owner, { method: "POST" })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const { id: beingSent, key } = await waiting(company);
    await changeMessage(beingSent.slice(4), { status: "sending" });
    expect((await get(`/api/v1/messages/${beingSent}/cancel`, key, { method: "POST" })).status).toBe(409);
    const readOnly = await email.token({ isOwner: true, companyId: company, pat: { readOnly: true } });
    expect((await get(path, readOnly, { method: "POST" })).body.error_code).toBe("pat_read_only");
  });
});

describe("the list of messages", () => {
  it("reads few rows to find the few messages to an address in a large company", async () => {
    const company = createCompany();
    const { id } = await accept(company);
    const [row] = await readRows(messages, eq(messages.id, id.slice(4)));
    if (row === undefined) throw new Error("no row");
    const others = Array.from({ length: 400 }, () => ({ ...row, id: idAt(Date.now()), email_hmac: "of others" }));
    await insertRows(messages, others);
    const owner = await email.token({ isOwner: true, companyId: company });
    const metered = meterDatabase(testEnv.DB);
    const path = "/api/v1/messages?email=Mina@example.com";
    const response = await email.call(path, { bearer: owner, bindings: { DB: metered.db } });
    expect(((await response.json()) as { messages: { id: string }[] }).messages.map((item) => item.id)).toEqual([id]);
    expect(metered.takeStatements().reduce((sum, { read }) => sum + read, 0)).toBeLessThan(20);
  });

  it("returns each message of the owner's company once across pages, newest first, with masked addresses", async () => {
    const company = createCompany();
    const to = ["a", "b", "c", "d", "e"].map((name) => ({ email: `${name}@example.com` }));
    const { ids } = await accept(company, { to });
    await accept(createCompany());
    const owner = await email.token({ isOwner: true, companyId: company });
    const listedIds: string[] = [];
    let cursor = "";
    do {
      const { status, body } = await get(`/api/v1/messages?limit=2${cursor}`, owner);
      expect(status).toBe(200);
      expect(body.company_id).toBe(company);
      for (const item of body.messages as { id: string; to: string }[]) {
        expect(item.to).toMatch(/^[a-e]\*\*\*@example\.com$/);
        listedIds.push(item.id);
      }
      cursor = body.next_cursor === null ? "" : `&cursor=${String(body.next_cursor)}`;
    } while (cursor !== "");
    expect(listedIds).toEqual([...ids].reverse());
  });

  it("filters by status, lane, template, service, address and time", async () => {
    const company = createCompany();
    await accept(company, { to: [{ email: "a@example.com" }, { email: "B@example.com" }] });
    const owner = await email.token({ isOwner: true, companyId: company });
    const count = async (query: string) => {
      const { body } = await get(`/api/v1/messages?${query}`, owner);
      return (body.messages as unknown[]).length;
    };
    const today = new Date().toISOString().slice(0, 10);
    expect(await count("lane=auth,bulk&service=identity")).toBe(2);
    expect(await count("lane=transactional")).toBe(0);
    expect(await count("template_key=identity.auth.magic_link.requested")).toBe(2);
    expect(await count("event_type=identity.user.invited")).toBe(0);
    expect(await count("email=b@Example.com")).toBe(1);
    expect(await count(`from=${today}&to=${today}`)).toBe(2);
    expect(await count("to=2020-01-01")).toBe(0);
    expect(await count("status=delivered")).toBe(0);
  });

  it.each([
    ["status=gone", { status: ["invalid"] }],
    ["lane=slow", { lane: ["invalid"] }],
    ["limit=0", { limit: ["out_of_range"] }],
    ["limit=201", { limit: ["out_of_range"] }],
    ["limit=x", { limit: ["invalid"] }],
    ["cursor=x", { cursor: ["invalid"] }],
    ["from=2026-02-30", { from: ["invalid"] }],
    ["from=2026-01-02&to=2026-01-01", { from: ["out_of_range"] }],
    ["email=x", { email: ["invalid_format"] }],
    ["company_id=x", { company_id: ["invalid"] }],
  ])("rejects %s", async (query, fields) => {
    const owner = await email.token({ isOwner: true, companyId: createCompany() });
    expect(await get(`/api/v1/messages?${query}`, owner)).toMatchObject({
      status: 400,
      body: { error_code: "validation_failed", field_errors: fields },
    });
  });
});

describe("the catalog", () => {
  it("is readable with service keys, by staff and by owners, and has a strong ETag", async () => {
    const { key } = await createKey();
    const response = await email.call("/api/v1/catalog", { bearer: key });
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]+"$/);
    const body = (await response.json()) as { auth_link_hosts: string[]; events: { event_type: string }[] };
    expect(body.auth_link_hosts).toContain("auth.example.com");
    expect(body.events.map(({ event_type }) => event_type)).toContain("identity.user.invited");
    const again = await email.call("/api/v1/catalog", { bearer: key, headers: { "if-none-match": `W/${etag}` } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const owner = await email.token({ isOwner: true, companyId: createCompany() });
    const staff = await email.token({ isStaff: true });
    const member = await email.token({ companyId: createCompany() });
    expect((await get("/api/v1/catalog", owner)).status).toBe(200);
    expect((await get("/api/v1/catalog", staff)).status).toBe(200);
    expect((await get("/api/v1/catalog", member)).status).toBe(403);
  });
});

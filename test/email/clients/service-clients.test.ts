import { eq } from "drizzle-orm";
import { expect, it, vi } from "vitest";
import { audit_log, service_clients } from "../../../db/email/schema";
import { expectGuards, problemOf, startCompany } from "../../support/email/admin";
import { startEmail } from "../../support/email/email";
import { readRows } from "../../support/email/rows";

const PATH = "/api/v1/service-clients";

type Client = { id: number; key: string; key_prefix: string; service: string; active: boolean };

/** Returns a service name that no other test uses. */
const uniqueService = () => `svc-${crypto.randomUUID().slice(0, 12)}`;

async function startStaff(vars = {}) {
  const email = await startEmail({ vars });
  const { staff } = await startCompany(email);
  const post = (path: string, json?: unknown) =>
    email.call(path, { method: "POST", bearer: staff, ...(json === undefined ? {} : { json }) });
  const create = async (json: unknown) => (await (await post(PATH, json)).json()) as Client;
  /** Returns whether the service accepts a key. It returns 401 for an unknown key. */
  const isAccepted = async (key: string) => (await email.call("/api/v1/catalog", { bearer: key })).status !== 401;
  return { email, staff, post, create, isAccepted };
}

it("creates a service client with the defaults and returns its key once", async () => {
  const { email, staff, post } = await startStaff();
  const service = uniqueService();
  const lines: string[] = [];
  const spies = (["log", "warn", "error"] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line)),
  );
  const response = await post(PATH, { service });
  for (const spy of spies) spy.mockRestore();
  expect(response.status).toBe(201);
  const created = (await response.json()) as Client;
  expect(created).toEqual({
    id: expect.any(Number),
    service,
    name: service,
    key: expect.stringMatching(/^esk_[A-Za-z0-9_-]{43}$/),
    key_prefix: created.key.slice(0, 12),
    allowed_lanes: ["transactional"],
    allowed_template_prefixes: [`${service}.`],
    allowed_company_ids: null,
  });
  expect(lines.join("\n")).not.toContain(created.key);
  const list = await (await email.call(`${PATH}?limit=200`, { bearer: staff })).text();
  expect(list).not.toContain(created.key);
  const [row] = await readRows(service_clients, eq(service_clients.id, created.id));
  expect(JSON.stringify(row)).not.toContain(created.key);
  expect(row?.key_hash).toMatch(/^[0-9a-f]{64}$/);
});

it("stores the scopes of a new service client", async () => {
  const { create } = await startStaff();
  const scopes = {
    allowed_lanes: ["auth", "transactional"],
    allowed_template_prefixes: [],
    allowed_company_ids: [7, 8],
    name: "Mail from Zoë 🚀",
  };
  expect(await create({ service: uniqueService(), ...scopes })).toMatchObject(scopes);
});

it.each([
  [{}, { service: ["required"] }],
  [{ service: "" }, { service: ["invalid"] }],
  [{ service: "Größe" }, { service: ["invalid"] }],
  [{ service: "a".repeat(65) }, { service: ["invalid"] }],
  [{ service: "a", name: "x".repeat(129) }, { name: ["too_long"] }],
  [{ service: "a", name: "x\u0007" }, { name: ["invalid"] }],
  [{ service: "a", allowed_lanes: ["news"] }, { allowed_lanes: ["invalid"] }],
  [{ service: "a", allowed_lanes: null }, { allowed_lanes: ["invalid"] }],
  [{ service: "a", allowed_template_prefixes: [""] }, { allowed_template_prefixes: ["invalid"] }],
  [{ service: "a", allowed_template_prefixes: ["x".repeat(65)] }, { allowed_template_prefixes: ["invalid"] }],
  [{ service: "a", allowed_company_ids: [] }, { allowed_company_ids: ["invalid"] }],
  [{ service: "a", allowed_company_ids: ["1"] }, { allowed_company_ids: ["invalid"] }],
  [{ service: "a", callback_url: "https://example.com" }, { callback_url: ["not_allowed"] }],
])("rejects the service client %j", async (json, fields) => {
  const { post } = await startStaff();
  expect(await problemOf(await post(PATH, json))).toEqual([400, "validation_failed", fields]);
});

it("revokes a service key immediately, and accepts a repeated revocation", async () => {
  const { create, post, isAccepted } = await startStaff();
  const { id, key } = await create({ service: uniqueService() });
  expect(await isAccepted(key)).toBe(true);
  for (let i = 0; i < 2; i++) {
    const response = await post(`${PATH}/${id}/revoke`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id, active: false, has_callback: false });
  }
  expect(await isAccepted(key)).toBe(false);
  const entries = await readRows(audit_log, eq(audit_log.target, `service_client:${id}`));
  expect(entries.filter(({ action }) => action === "service_client.revoked")).toHaveLength(1);
  expect(await problemOf(await post(`${PATH}/${id}/rotate`))).toEqual([409, "conflict"]);
});

it("rotates a service key and accepts the old one only during the overlap", async () => {
  const { create, post, isAccepted } = await startStaff();
  const first = await create({ service: uniqueService() });
  const second = (await (await post(`${PATH}/${first.id}/rotate`)).json()) as Client;
  expect(second).toMatchObject({ id: first.id, service: first.service, key_prefix: second.key.slice(0, 12) });
  expect([await isAccepted(first.key), await isAccepted(second.key)]).toEqual([true, true]);
  const third = (await (await post(`${PATH}/${first.id}/rotate`, { overlap_hours: 0 })).json()) as Client;
  expect([await isAccepted(first.key), await isAccepted(second.key), await isAccepted(third.key)]).toEqual([
    false,
    false,
    true,
  ]);
  await post(`${PATH}/${first.id}/rotate`, { overlap_hours: 1 });
  await post(`${PATH}/${first.id}/revoke`);
  expect(await isAccepted(third.key)).toBe(false);
  for (const [hours, code] of [
    [169, "out_of_range"],
    [-1, "out_of_range"],
    [1.5, "invalid"],
    ["1", "invalid"],
  ]) {
    expect(await problemOf(await post(`${PATH}/${first.id}/rotate`, { overlap_hours: hours }))).toEqual([
      400,
      "validation_failed",
      { overlap_hours: [code] },
    ]);
  }
});

it("returns 404 for unknown service clients", async () => {
  const { post } = await startStaff();
  for (const id of ["0", "abc", "999999999999", "99999999999999999999"]) {
    expect(await problemOf(await post(`${PATH}/${id}/revoke`))).toEqual([404, "not_found"]);
    expect(await problemOf(await post(`${PATH}/${id}/rotate`, { overlap_hours: "x" }))).toEqual([404, "not_found"]);
  }
});

it("allows 50 active keys per service", async () => {
  const { create, post } = await startStaff();
  const service = uniqueService();
  const clients = await Promise.all(Array.from({ length: 55 }, () => create({ service })));
  expect(clients.filter(({ key }) => key !== undefined)).toHaveLength(50);
  expect(await problemOf(await post(PATH, { service }))).toEqual([409, "limit_reached"]);
  await post(`${PATH}/${clients.find(({ id }) => id !== undefined)?.id}/revoke`);
  expect((await post(PATH, { service })).status).toBe(201);
});

it("lists service clients in pages, ordered by service and id", async () => {
  const { email, staff, create } = await startStaff();
  const service = `aaa-${crypto.randomUUID()}`;
  const clients = [await create({ service }), await create({ service }), await create({ service })];
  const listedIds: number[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `${PATH}?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`;
    const page = (await (await email.call(path, { bearer: staff })).json()) as {
      clients: Client[];
      next_cursor: string | null;
    };
    listedIds.push(...page.clients.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(listedIds.filter((id) => clients.some((client) => client.id === id))).toEqual(clients.map(({ id }) => id));
  expect(new Set(listedIds).size).toBe(listedIds.length);
  expect(await problemOf(await email.call(`${PATH}?cursor=x&limit=x`, { bearer: staff }))).toEqual([
    400,
    "validation_failed",
    { limit: ["invalid"], cursor: ["invalid"] },
  ]);
});

it("rejects callers other than staff", async () => {
  const email = await startEmail();
  await expectGuards(email, { method: "GET", path: PATH, staffOnly: true });
  await expectGuards(email, { method: "POST", path: PATH, json: {}, staffOnly: true });
  await expectGuards(email, { method: "POST", path: `${PATH}/1/revoke`, staffOnly: true });
  await expectGuards(email, { method: "POST", path: `${PATH}/1/rotate`, staffOnly: true });
});

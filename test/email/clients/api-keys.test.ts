import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log, service_clients } from "../../../db/email/schema";
import { expectGuards, problemOf, send, startCompany } from "../../support/email/admin";
import { readRows, updateRows } from "../../support/email/rows";
import { startForAll } from "../../support/email/rules";
import { OPERATOR_KEY } from "../../support/email/webhooks";

const PATH = "/api/v1/api-keys";
const email = await startForAll({ OPERATOR_KEY });

type ApiKey = { id: number; key: string; key_prefix: string; service: string; last_used_at: string | null };

/** Creates a company with functions that manage its API keys and use them. */
async function startKeys() {
  const company = await startCompany(email);
  const call = (method: string, path = "", json?: unknown, bearer = company.owner) =>
    send(email, bearer, { method, path: `${PATH}${path}`, json });
  const create = (json: object = {}) =>
    call("POST", "", { allowed_template_prefixes: ["shop."], direct_content: true, ...json });
  return {
    ...company,
    call,
    create,
    created: async (json?: object) => (await create(json)).json<ApiKey>(),
    list: async () => (await (await call("GET")).json<{ api_keys: ApiKey[] }>()).api_keys,
    /** Returns the status and error code of an event that the key sends for a company. */
    use: async (key: string, companyId = company.companyId) => {
      const json = { company_id: companyId, event_type: "identity.user.created" };
      return problemOf(await email.call("/api/v1/events", { bearer: key, json }));
    },
  };
}

/** The response to an event of another service. A key without access gets 401, or 403 for another company. */
const ADMITTED = [400, "unknown_event"];

it("creates a key for the company and its prefixes, lists it without plain text, and shows its last use", async () => {
  const { companyId, create, list, use } = await startKeys();
  const response = await create({ name: "Shop", allowed_template_prefixes: ["shop.order.", "shop.", "shop.order."] });
  const created = await response.json<ApiKey>();
  const listed = {
    id: expect.any(Number),
    company_id: companyId,
    name: "Shop",
    service: "shop",
    allowed_lanes: ["transactional"],
    allowed_template_prefixes: ["shop.order.", "shop."],
    key_prefix: created.key.slice(0, 12),
    previous_expires_at: null,
    last_used_at: null,
    created_at: expect.stringMatching(/Z$/),
  };
  expect([response.status, created]).toEqual([
    201,
    { ...listed, key: expect.stringMatching(/^esk_[A-Za-z0-9_-]{43}$/) },
  ]);
  expect(await list()).toEqual([listed]);
  expect(await use(created.key)).toEqual(ADMITTED);
  expect(await use(created.key, companyId + 1_000_000)).toEqual([403, "company_mismatch"]);
  expect((await list())[0]?.last_used_at).toMatch(/Z$/);
  const [row] = await readRows(service_clients, eq(service_clients.id, created.id));
  expect(row).toMatchObject({ owner_company_id: companyId, allowed_company_ids: [companyId] });
  expect(JSON.stringify(row)).not.toContain(created.key);
});

it.each([
  [{ allowed_template_prefixes: undefined }, { allowed_template_prefixes: ["required"] }],
  [{ allowed_template_prefixes: [] }, { allowed_template_prefixes: ["required"] }],
  [{ allowed_template_prefixes: "shop." }, { allowed_template_prefixes: ["invalid"] }],
  [{ allowed_template_prefixes: ["shop"] }, { "allowed_template_prefixes.0": ["invalid"] }],
  [{ allowed_template_prefixes: ["shop.", "shop.Order"] }, { "allowed_template_prefixes.1": ["invalid"] }],
  [{ allowed_template_prefixes: ["identity."] }, { allowed_template_prefixes: ["reserved"] }],
  [{ allowed_template_prefixes: ["company.x."] }, { allowed_template_prefixes: ["reserved"] }],
  [{ allowed_template_prefixes: ["shop.", "stock."] }, { allowed_template_prefixes: ["several_services"] }],
  [{ allowed_template_prefixes: Array(21).fill("shop.") }, { allowed_template_prefixes: ["too_many"] }],
  [{ name: " " }, { name: ["blank"] }],
  [{ direct_content: 1 }, { direct_content: ["invalid"] }],
])("rejects the key %j", async (json, fields) => {
  const { create } = await startKeys();
  expect(await problemOf(await create(json))).toEqual([400, "validation_failed", fields]);
});

it("refuses a key that could send nothing, and sends an event type that matches its prefix", async () => {
  const { companyId, owner, create } = await startKeys();
  const createKey = (prefix: string) => create({ allowed_template_prefixes: [prefix], direct_content: undefined });
  const refusal = [400, "nothing_to_send", { allowed_template_prefixes: ["no_event_type"] }];
  expect(await problemOf(await createKey("shop."))).toEqual(refusal);
  const json = { event_type: "shop.order.placed", labels: { en: "Order placed" } };
  expect((await send(email, owner, { method: "POST", path: "/api/v1/event-types", json })).status).toBe(201);
  expect(await problemOf(await createKey("shop.orders."))).toEqual(refusal);
  expect(await problemOf(await createKey("sho."))).toEqual(refusal);
  const { key } = await (await createKey("shop.order.")).json<ApiKey>();
  const to = [{ email: "mina@example.com" }];
  const sent = await email.call("/api/v1/send", {
    bearer: key,
    json: { company_id: companyId, template_key: "shop.order.placed", to },
  });
  expect([sent.status, await sent.json()]).toMatchObject([202, { messages: [{ status: "queued" }] }]);
  const other = await startKeys();
  expect(await problemOf(await other.create({ direct_content: false }))).toEqual(refusal);
});

it("rotates a key with an overlap, and revokes both keys immediately", async () => {
  const { companyId, call, created, list, use } = await startKeys();
  const { id, key: first } = await created();
  const rotated = await call("POST", `/${id}/rotate`);
  const { key: second, ...shown } = await rotated.json<ApiKey & { previous_expires_at: string }>();
  expect([rotated.status, await list()]).toEqual([200, [shown]]);
  expect(Math.round((Date.parse(shown.previous_expires_at) - Date.now()) / 3_600_000)).toBe(24);
  expect([await use(first), await use(second)]).toEqual([ADMITTED, ADMITTED]);
  const third = (await (await call("POST", `/${id}/rotate`, { overlap_hours: 0 })).json<ApiKey>()).key;
  expect([await use(second), await use(third)]).toEqual([[401, "unauthorized"], ADMITTED]);
  await call("POST", `/${id}/rotate`, { overlap_hours: 1 });
  expect(await problemOf(await call("POST", `/${id}/rotate`, { overlap_hours: 169 }))).toEqual([
    400,
    "validation_failed",
    { overlap_hours: ["out_of_range"] },
  ]);
  expect((await call("DELETE", `/${id}`)).status).toBe(204);
  expect(await use(third)).toEqual([401, "unauthorized"]);
  expect([await list(), await problemOf(await call("DELETE", `/${id}`))]).toEqual([[], [404, "not_found"]]);
  const entries = await readRows(audit_log, eq(audit_log.company_id, companyId));
  const verbs = ["created", "rotated", "rotated", "rotated", "revoked"];
  expect(entries.map(({ action, target }) => [action, target])).toEqual(
    verbs.map((verb) => [`api_key.${verb}`, `api_key:${id}`]),
  );
  expect(JSON.stringify(entries)).not.toContain("esk_");
});

it("allows 50 keys per company, which are no service clients of staff", async () => {
  const { companyId, staff, call, create, created, list } = await startKeys();
  const { service } = await created({ allowed_template_prefixes: [`shop-${companyId}.`] });
  const responses = await Promise.all(Array.from({ length: 51 }, () => create()));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(49);
  expect(await problemOf(await create())).toEqual([409, "limit_reached"]);
  const [first] = await list();
  expect(await problemOf(await call("POST", `/${first?.id}/rotate`, {}, staff))).toEqual([200, undefined]);
  const ofStaff = "/api/v1/service-clients";
  expect(await (await email.call(ofStaff, { bearer: staff })).text()).not.toContain(`"${service}"`);
  expect((await send(email, staff, { method: "POST", path: ofStaff, json: { service } })).status).toBe(201);
  for (const verb of ["rotate", "revoke"]) {
    const response = await send(email, staff, { method: "POST", path: `${ofStaff}/${first?.id}/${verb}` });
    expect(await problemOf(response)).toEqual([404, "not_found"]);
  }
});

it("belongs to the owners of the company", async () => {
  await expectGuards(email, { method: "GET", path: PATH });
  await expectGuards(email, { method: "POST", path: PATH, json: {} });
  const [own, other] = [await startKeys(), await startKeys()];
  const { id } = await own.created();
  expect(await other.list()).toEqual([]);
  expect(await problemOf(await other.call("DELETE", `/${id}`))).toEqual([404, "not_found"]);
  expect(await problemOf(await other.call("POST", `/${id}/rotate`))).toEqual([404, "not_found"]);
});

it("limits a key to its company in the export of the company, whatever is stored", async () => {
  const { companyId, created } = await startKeys();
  const { id } = await created();
  await updateRows(service_clients, { allowed_company_ids: null }, eq(service_clients.id, id));
  const json = { flags: { table: "service_clients", company: companyId } };
  const response = await email.call("/api/v1/management/read_table", { bearer: OPERATOR_KEY, json });
  const text = new TextDecoder().decode(await response.arrayBuffer());
  const [, { rows }] = text.split("\n", 2).map((line) => JSON.parse(line)) as [unknown, { rows: string[] }];
  expect(rows).toHaveLength(1);
  expect(JSON.parse(rows[0] ?? "")).toContain(`[${companyId}]`);
});

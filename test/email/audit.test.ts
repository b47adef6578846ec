import { and, eq, gt } from "drizzle-orm";
import { expect, it } from "vitest";
import { action_deliveries, audit_log } from "../../db/email/schema";
import { startEmail } from "../support/email/email";
import { describeEmailOperations } from "../support/email/operations";
import { readRows } from "../support/email/rows";
import { command, OPERATOR_KEY } from "../support/email/webhooks";
import { operationsOf, readDocument } from "../support/http/api-document";
import { fill } from "../support/http/route-calls";

const { email, company, bearers, facts } = await describeEmailOperations();

/** Operations that only look, although they take a body. */
const looks = ["post /api/v1/templates/{id}/preview"];

/** Every operation by which a person changes something, so that the next one cannot be forgotten. */
const mutations = operationsOf(await readDocument(email.call)).flatMap(({ key, method, path }) => {
  const role = facts[key]?.role;
  return method === "get" || looks.includes(key) || (role !== "owner" && role !== "staff")
    ? []
    : [{ key, method, path, role }];
});

const provider = { provider: "api", from_email: "hello@aster.example", credentials: { api_key: "secret-key" } };

/** What must be there before a call, and calls that change more than the ones of the table. */
const own: Record<string, { before?: () => Promise<unknown>; body?: object; row?: () => Promise<string> }> = {
  "delete /api/v1/provider": { before: () => call("put", "/api/v1/provider", bearers.owner, provider) },
  "post /api/v1/lanes/{lane}/resume": {
    before: () => call("post", `/api/v1/lanes/bulk/pause?company_id=${company}`, bearers.staff, {}),
  },
  "patch /api/v1/actions/rules/{id}": { body: { name: "Another" } },
  "post /api/v1/actions/rules/{id}/requeue": {
    row: async () => {
      const id = String(await facts["post /api/v1/actions/deliveries/{id}/requeue"]?.own?.());
      const [delivery] = await readRows(action_deliveries, eq(action_deliveries.id, id));
      return String(delivery?.rule_id);
    },
  },
  "post /api/v1/management/{command}": { body: { flags: {} } },
};

async function call(method: string, path: string, bearer: string, json?: object): Promise<Response> {
  const response = await email.call(path, { method: method.toUpperCase(), bearer, ...(json ? { json } : {}) });
  await response.clone().text();
  return response;
}

const lastOf = async () => (await readRows(audit_log, undefined)).at(-1)?.id ?? 0;
const entriesSince = (id: number, userId: number) =>
  readRows(audit_log, and(gt(audit_log.id, id), eq(audit_log.actor_user_id, userId)));

it.each(mutations.map((mutation) => [mutation.key, mutation] as const))(
  "%s leaves one entry that tells who did what, and no secret or address",
  async (key, { method, path, role }) => {
    const { before, body, row } = own[key] ?? {};
    const json = body ?? (await facts[key]?.body?.());
    const id = (await (row ?? facts[key]?.own)?.()) ?? "";
    await before?.();
    const last = await lastOf();
    const search = facts[key]?.search;
    const response = await call(method, `${fill(path, id)}${search ? `?${search}` : ""}`, bearers[role], json);
    expect(response.status, key).not.toBe(404);
    const entries = await entriesSince(last, role === "owner" ? company : company + 2_000_000_000);
    expect(entries).toMatchObject([{ actor_kind: "session", action: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/) }]);
    const [entry] = entries;
    expect([company, 0]).toContain(entry?.company_id);
    expect(entry?.target).not.toBe("");
    expect(JSON.stringify(entry)).not.toMatch(/@|esk_|secret-|whsec_/);
    expect(() => JSON.parse(entry?.changes ?? "")).not.toThrow();
  },
);

it("names a row by its id, and the fields of a provider that became others", async () => {
  const last = await lastOf();
  const created = await call("post", "/api/v1/suppressions", bearers.owner, { email: "zoe@example.com" });
  const { id } = await created.json<{ id: number }>();
  await call("put", "/api/v1/provider", bearers.owner, provider);
  await call("put", "/api/v1/provider", bearers.owner, { ...provider, from_name: "Aster" });
  const client = await call("post", "/api/v1/service-clients", bearers.staff, { service: "audited" });
  const { id: clientId } = await client.json<{ id: number }>();
  const entries = await entriesSince(last, company);
  expect(entries.map(({ action, target, changes }) => [action, target, JSON.parse(changes)])).toEqual([
    ["suppression.saved", `suppression:${id}`, { reason: "manual", lanes: [], expires_at: null }],
    ["provider.saved", "provider", { fields: ["provider", "from_email", "credentials"] }],
    ["provider.saved", "provider", { fields: ["from_name", "credentials"] }],
  ]);
  const [made] = await entriesSince(last, company + 2_000_000_000);
  expect(made).toMatchObject({ action: "service_client.created", target: `service_client:${clientId}` });
});

it("leaves none for what changed nothing or was refused", async () => {
  const path = `/api/v1/lanes/transactional/resume?company_id=${company}`;
  const last = await lastOf();
  expect((await call("post", path, bearers.staff)).status).toBe(200);
  expect((await call("delete", "/api/v1/suppressions/999999999", bearers.owner)).status).toBe(404);
  expect((await call("put", "/api/v1/provider", bearers.owner, { provider: "none" })).status).toBe(400);
  expect(await lastOf()).toBe(last);
});

it("names the operator of a command by kind alone, and notes no count", async () => {
  const operated = await startEmail({ vars: { OPERATOR_KEY } });
  const last = await lastOf();
  await command(operated, "sweep_email_queue", { dry_run: true });
  expect(await lastOf()).toBe(last);
  await command(operated, "purge_expired_data", { batch_size: 10 });
  await command(operated, "create_service_key", { service: "operated" });
  const entries = await readRows(audit_log, gt(audit_log.id, last));
  expect(entries).toMatchObject([
    { actor_kind: "operator", actor_user_id: null, company_id: 0, target: "command:purge_expired_data" },
    { actor_kind: "operator", actor_user_id: null, company_id: 0, action: "service_client.created" },
  ]);
});

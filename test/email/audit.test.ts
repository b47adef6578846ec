import { gt } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log } from "../../db/email/schema";
import { storeDraftBroadcast } from "../support/email/draft-broadcasts";
import { startEmail } from "../support/email/email";
import { describeEmailOperations } from "../support/email/operations";
import { readRows } from "../support/email/rows";
import { command, OPERATOR_KEY } from "../support/email/webhooks";
import { checkAudit, entriesSince, newestEntry } from "../support/sibling/audit-suite";

const { email, company, bearers, facts } = await describeEmailOperations();

const provider = { provider: "api", from_email: "hello@aster.example", credentials: { api_key: "secret-key" } };

async function call(method: string, path: string, bearer: string, json?: object): Promise<Response> {
  const response = await email.call(path, { method: method.toUpperCase(), bearer, ...(json ? { json } : {}) });
  await response.clone().text();
  return response;
}

const names = { first_name: "Mina", last_name: "Laurent" };
const broadcastIn = (fields: Parameters<typeof storeDraftBroadcast>[1]) => async () =>
  String((await storeDraftBroadcast(company, fields)).id);

await checkAudit({
  call: email.call,
  company,
  bearers,
  users: { owner: company, staff: company + 2_000_000_000 },
  facts,
  reads: ["post /api/v1/templates/{id}/preview", "post /api/v1/broadcasts/{id}/preview"],
  changes: {
    "delete /api/v1/provider": { before: () => call("put", "/api/v1/provider", bearers.owner, provider) },
    "delete /api/v1/branding/logo": {
      before: () => call("put", "/api/v1/branding", bearers.owner, { logo_url: "https://cdn.aster.example/logo.png" }),
    },
    "post /api/v1/broadcasts/{id}/send": {
      row: broadcastIn({ state: "draft" }),
      before: async () => email.setAudience(company, [{ ...names, id: 1, email: "mina@example.com", language: null }]),
    },
    "post /api/v1/broadcasts/{id}/pause": { row: broadcastIn({ state: "sending" }) },
    "post /api/v1/broadcasts/{id}/resume": { row: broadcastIn({ state: "paused", paused_state: "sending" }) },
    "post /api/v1/broadcasts/{id}/cancel": { row: broadcastIn({ state: "sending" }) },
    "post /api/v1/lanes/{lane}/resume": {
      before: () => call("post", `/api/v1/lanes/bulk/pause?company_id=${company}`, bearers.staff, {}),
    },
  },
});

it("identifies a row by its id and lists the changed fields of a provider", async () => {
  const last = await newestEntry();
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
  const [clientEntry] = await entriesSince(last, company + 2_000_000_000);
  expect(clientEntry).toMatchObject({ action: "service_client.created", target: `service_client:${clientId}` });
});

it("writes no audit entry for a request that changed nothing or was rejected", async () => {
  const path = `/api/v1/lanes/transactional/resume?company_id=${company}`;
  const last = await newestEntry();
  expect((await call("post", path, bearers.staff)).status).toBe(200);
  expect((await call("delete", "/api/v1/suppressions/999999999", bearers.owner)).status).toBe(404);
  expect((await call("put", "/api/v1/provider", bearers.owner, { provider: "none" })).status).toBe(400);
  expect(await newestEntry()).toBe(last);
});

it("records only the kind of the actor for an operator's command, and no entry for a dry run", async () => {
  const operated = await startEmail({ vars: { OPERATOR_KEY } });
  const last = await newestEntry();
  await command(operated, "sweep_email_queue", { dry_run: true });
  expect(await newestEntry()).toBe(last);
  await command(operated, "purge_expired_data", { batch_size: 10 });
  await command(operated, "create_service_key", { service: "operated" });
  const entries = await readRows(audit_log, gt(audit_log.id, last));
  expect(entries).toMatchObject([
    { actor_kind: "operator", actor_user_id: null, company_id: 0, target: "command:purge_expired_data" },
    { actor_kind: "operator", actor_user_id: null, company_id: 0, action: "service_client.created" },
  ]);
});

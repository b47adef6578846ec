import { and, eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { audit_log } from "../../db/kit/audit";
import { event_log } from "../../db/kit/webhooks";
import { hosting, startHosting, testEnv } from "../support/hosting/hosting";
import { checkManagement } from "../support/sibling/management-suite";
import { freshCompany } from "../support/sibling/sibling";
import { readRows } from "../support/webhooks/rows";

await checkManagement(hosting);

const worker = await startHosting();

/** Runs `approve_hosting_access` as the operator, and returns the last line or the error. */
async function approve(flags: Record<string, unknown>, bindings = {}) {
  const response = await worker.call("/api/v1/management/approve_hosting_access", {
    bearer: testEnv.OPERATOR_KEY ?? "",
    json: { flags },
    bindings,
  });
  const text = await response.text();
  return JSON.parse(text.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
}

it("approves a company with an audit entry, and with an event when the status changes", async () => {
  const companyId = freshCompany();
  const line = `approve_hosting_access: company=${companyId} status=approved`;
  expect(await approve({ company_id: companyId, notes: "Signed contract" })).toMatchObject({ exit_code: 0, line });
  expect(await approve({ company_id: companyId })).toMatchObject({ exit_code: 0, line });
  const bearer = await worker.token({ companyId, isOwner: true });
  expect(await (await worker.call("/hosting/v1/access", { bearer })).json()).toMatchObject({
    status: "approved",
    reviewed_by_id: null,
  });
  const type = "hosting.access.changed";
  const events = await readRows(event_log, and(eq(event_log.company_id, companyId), eq(event_log.event_type, type)));
  expect(events.map(({ data }) => JSON.parse(data ?? ""))).toEqual([
    { company_id: companyId, status: "approved", previous_status: "none" },
  ]);
  const entries = await readRows(audit_log, eq(audit_log.company_id, companyId));
  expect(entries.map(({ action, actor_kind }) => [action, actor_kind])).toEqual([
    ["hosting_access.approved", "operator"],
    ["hosting_access.approved", "operator"],
  ]);
});

it("refuses a missing or invalid company, notes that are too long, and a company that does not exist", async () => {
  expect(await approve({})).toMatchObject({ field_errors: { "flags.company_id": ["required"] } });
  expect(await approve({ company_id: 0 })).toMatchObject({ field_errors: { "flags.company_id": ["out_of_range"] } });
  expect(await approve({ company_id: 7, notes: "x".repeat(1001) })).toMatchObject({
    field_errors: { "flags.notes": ["too_long"] },
  });
  const nobody = { IDENTITY_RPC: { ...worker.bindings.IDENTITY_RPC, company: async () => null } };
  expect(await approve({ company_id: 7 }, nobody)).toMatchObject({
    type: "error",
    exit_code: 1,
    line: expect.stringContaining("company 7 does not exist"),
  });
});

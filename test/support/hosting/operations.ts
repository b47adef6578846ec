import type { Facts } from "../http/route-calls";
import { storeJobRun } from "../jobs/jobs";
import { webhookFacts } from "../webhooks/operations";
import { freshCompany, startHosting, testEnv } from "./hosting";

/** A service with two companies and their people, and what the check must know of each operation of hosting. */
export async function describeHostingOperations() {
  const [company, foreignCompany] = [freshCompany(), freshCompany()];
  const hosting = await startHosting({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min" } });
  const owner = { companyId: company, isOwner: true, userId: company };
  const revoked = await hosting.token(owner);
  hosting.revoke(revoked);
  return {
    hosting,
    company,
    foreignCompany,
    bearers: {
      owner: await hosting.token(owner),
      member: await hosting.token({ companyId: company, userId: company + 1_000_000_000 }),
      staff: await hosting.token({ isStaff: true, companyId: company, userId: company + 2_000_000_000 }),
      foreignOwner: await hosting.token({ companyId: foreignCompany, isOwner: true, userId: foreignCompany }),
      operator: testEnv.OPERATOR_KEY ?? "",
      readOnly: await hosting.token({ ...owner, pat: { readOnly: true } }),
      expired: await hosting.token(owner, { exp: Math.floor(Date.now() / 1000) - 3600 }),
      revoked,
    },
    facts: {
      ...ownFacts(),
      ...webhookFacts(company, foreignCompany, "hosting.action_rule.failing", { knowsCallers: false }),
    },
  };
}

function ownFacts(): Record<string, Facts> {
  const staff = { role: "staff" } as const;
  return {
    "get /api/v1/health": { role: "open" },
    "get /hosting/v1/health": { role: "open" },
    "get /hosting/v1/metrics": { role: "owner" },
    "get /hosting/v1/metrics/all": staff,
    "get /api/v1/scheduled-jobs": { ...staff, isTimed: true },
    "get /api/v1/scheduled-jobs/{job}/runs": { ...staff, own: () => "retry_webhooks", foreign: null },
    "get /api/v1/scheduled-jobs/runs/{id}": { ...staff, own: () => storeJobRun("retry_webhooks"), foreign: null },
    "post /api/v1/management/{command}": {
      ...staff,
      own: () => "purge_expired_data",
      foreign: null,
      body: () => ({ flags: { dry_run: true } }),
      // It tells of an away database in its stream.
      needsNoDatabase: true,
    },
  };
}

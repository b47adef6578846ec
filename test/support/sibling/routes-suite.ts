import type { ErrorTable } from "../../../schemas/errors";
import { failingDatabase } from "../db/failing-database";
import { readDocument } from "../http/api-document";
import type { Facts, Subject } from "../http/route-calls";
import { checkRoutes } from "../http/route-suite";
import { storeJobRun } from "../jobs/jobs";
import { webhookFacts } from "../webhooks/operations";
import { type Audited, checkAudit } from "./audit-suite";
import { freshCompany, type Sibling } from "./sibling";

type ServiceFacts = (companies: Companies) => Promise<Record<string, Facts>> | Record<string, Facts>;

/** The company under test and another company. */
export type Companies = { company: number; foreignCompany: number };

/**
 * Runs the shared route check for every operation of a service other than identity. `serviceFacts` are the facts about
 * operations that only this service has, `vars` settings that lift its limits.
 */
export async function checkSiblingRoutes(
  { service, start, testEnv }: Sibling,
  errors: ErrorTable,
  serviceFacts: ServiceFacts,
  vars: Record<string, string> = {},
): Promise<void> {
  const document = await readDocument((await start()).call);
  const describe = async () => {
    const companies = { company: freshCompany(), foreignCompany: freshCompany() };
    const { company, foreignCompany } = companies;
    const { call, token, revoke } = await start({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min", ...vars } });
    const owner = { companyId: company, isOwner: true, userId: company };
    const revoked = await token(owner);
    revoke(revoked);
    const callWith =
      (bindings: object): Subject["call"] =>
      (method, path, { bearer, body, type, headers }) =>
        call(path, {
          method: method.toUpperCase(),
          bindings,
          ...(bearer ? { bearer } : {}),
          headers: { ...headers, ...(type ? { "content-type": type } : {}) },
          ...(body === undefined || method === "get" ? {} : { body }),
        });
    return {
      company,
      foreignCompany,
      bearers: {
        owner: await token(owner),
        member: await token({ companyId: company, userId: company + 1_000_000_000 }),
        staff: await token({ isStaff: true, companyId: company, userId: company + 2_000_000_000 }),
        foreignOwner: await token({ companyId: foreignCompany, isOwner: true, userId: foreignCompany }),
        operator: testEnv.OPERATOR_KEY ?? "",
        readOnly: await token({ ...owner, pat: { readOnly: true } }),
        expired: await token(owner, { exp: Math.floor(Date.now() / 1000) - 3600 }),
        revoked,
      },
      facts: await siblingFacts(service, companies, serviceFacts),
      errors,
      readsAreLive: false,
      knowsCompanies: false,
      call: callWith({}),
      callLimited: callWith({ API_MUTATION_RATE_LIMIT: "1/min" }),
      callWithoutDatabase: callWith({ DB: failingDatabase }),
    };
  };
  checkRoutes(document, describe, service === "hosting" ? "all" : "guards");
}

/** Returns the facts about every operation of a service other than identity. */
export async function siblingFacts(
  service: string,
  companies: Companies,
  serviceFacts: ServiceFacts,
): Promise<Record<string, Facts>> {
  const { company, foreignCompany } = companies;
  return {
    ...sharedFacts(service),
    ...webhookFacts(company, foreignCompany, `${service}.action_rule.failing`, { knowsCallers: false }),
    ...(await serviceFacts(companies)),
  };
}

/** Checks that every administrative mutation of a service writes one audit entry. */
export async function checkSiblingAudit(
  { service, start }: Sibling,
  serviceFacts: ServiceFacts,
  changesOf: (call: Audited["call"], bearer: string, company: number) => Audited["changes"] & object = () => ({}),
  vars: Record<string, string> = {},
): Promise<void> {
  const companies = { company: freshCompany(), foreignCompany: freshCompany() };
  const { company } = companies;
  const { call, token } = await start({ vars: { API_MUTATION_RATE_LIMIT: "1000000/min", ...vars } });
  const facts = await siblingFacts(service, companies, serviceFacts);
  const users = { owner: company, staff: company + 2_000_000_000 };
  const bearers = {
    owner: await token({ companyId: company, isOwner: true, userId: users.owner }),
    staff: await token({ isStaff: true, companyId: company, userId: users.staff }),
  };
  const changes = changesOf(call, bearers.owner, company);
  await checkAudit({ call, company, bearers, users, facts, changes });
}

/** Facts about health, metrics, jobs and commands. */
function sharedFacts(service: string): Record<string, Facts> {
  const staff = { role: "staff" } as const;
  return {
    "get /api/v1/health": { role: "open" },
    [`get /${service}/v1/health`]: { role: "open" },
    [`get /${service}/v1/metrics`]: { role: "owner" },
    [`get /${service}/v1/metrics/all`]: staff,
    "get /api/v1/audit": { role: "owner" },
    "get /api/v1/overview": { role: "owner", dependentQueries: ["all"] },
    "get /api/v1/scheduled-jobs": { ...staff, isTimed: true },
    "get /api/v1/scheduled-jobs/{job}/runs": { ...staff, companyRow: () => "retry_webhooks", foreign: null },
    "get /api/v1/scheduled-jobs/runs/{id}": {
      ...staff,
      companyRow: () => storeJobRun("retry_webhooks"),
      foreign: null,
    },
    "post /api/v1/management/{command}": {
      ...staff,
      companyRow: () => "purge_expired_data",
      foreign: null,
      body: () => ({ flags: { dry_run: true } }),
      // The command reports an unavailable database in its response stream.
      needsNoDatabase: true,
    },
  };
}

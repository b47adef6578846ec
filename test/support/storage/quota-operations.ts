import type { Facts } from "../http/route-calls";
import type { Companies } from "../sibling/routes-suite";

/** Returns the facts for the route check about quotas. */
export function quotaFacts({ company, foreignCompany }: Companies): Record<string, Facts> {
  // Another company gets the same error whether it exists or not.
  const companyQuota: Facts = {
    role: "owner",
    companyRow: () => ({ company_id: String(company) }),
    foreign: () => ({ company_id: String(foreignCompany) }),
    foreignAnswer: "403 company_mismatch",
    malformed: { company_id: "400 validation_failed" },
    unknown: { company_id: "403 company_mismatch" },
  };
  // A user without objects has a quota too.
  const userQuota = (success: string): Facts => ({
    ...companyQuota,
    companyRow: () => ({ company_id: String(company), user_id: "7" }),
    foreign: () => ({ company_id: String(foreignCompany), user_id: "7" }),
    malformed: { ...companyQuota.malformed, user_id: "400 validation_failed" },
    unknown: { ...companyQuota.unknown, user_id: success },
  });
  const path = "/storage/v1/quota/company/{company_id}";
  return {
    "get /storage/v1/quota": { role: "member" },
    "get /storage/v1/quota/companies": { role: "staff", isTimed: true },
    [`get ${path}`]: companyQuota,
    [`put ${path}`]: { ...companyQuota, body: () => ({ max_bytes: 1_000_000_000_000 }) },
    [`get ${path}/users`]: companyQuota,
    [`get ${path}/user/{user_id}`]: userQuota("200"),
    [`put ${path}/user/{user_id}`]: { ...userQuota("200"), body: () => ({ max_bytes: 1_000_000 }) },
    [`delete ${path}/user/{user_id}`]: userQuota("204"),
  };
}

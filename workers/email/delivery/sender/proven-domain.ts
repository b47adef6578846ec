import type { CompanyProviderRow } from "../../../../db/email/rows";

/** The name of the DNS check that proves a sending domain. */
export const OWNERSHIP = "ownership";

/** Returns the sending domain if its last DNS check proved that the company controls it, else "". */
export function provenDomain({
  sending_domain,
  domain_health,
}: Pick<CompanyProviderRow, "sending_domain" | "domain_health">): string {
  const isProven =
    sending_domain !== "" &&
    domain_health?.domain === sending_domain &&
    domain_health.checks.some(({ name, status }) => name === OWNERSHIP && status === "pass");
  return isProven ? sending_domain : "";
}

import { iso } from "../../../kit/time";
import type { OwnedCompanyRow } from "./owned-company.store";

/** Returns a company as its members see it. */
export function presentCompany(company: OwnedCompanyRow) {
  const { id, name, slug, owners, access_mode, allowed_email_domains, enable_magic_link, is_active } = company;
  return {
    id,
    name,
    slug,
    owners,
    access_mode,
    allowed_email_domains,
    enable_magic_link,
    is_active,
    data_retention_days: company.data_retention_days,
    created_at: iso(company.created_at),
  };
}

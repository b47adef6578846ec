import type { OwnedCompanyRow } from "./company.store";

/** A company as its members see it (details 7.2). */
export function presentCompany(company: OwnedCompanyRow) {
  return {
    id: company.id,
    name: company.name,
    slug: company.slug,
    owners: JSON.parse(company.owners) as number[],
    access_mode: company.access_mode,
    allowed_email_domains: JSON.parse(company.allowed_email_domains) as string[],
    enable_magic_link: company.enable_magic_link === 1,
    is_active: company.is_active === 1,
    data_retention_days: company.data_retention_days,
    created_at: new Date(company.created_at).toISOString(),
  };
}

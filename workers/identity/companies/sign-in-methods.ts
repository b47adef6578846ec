import type { CompanyRow } from "../../../db/identity/schema";
import type { IdentityServices } from "../services";

/** Whether sign-in by magic link works for the company: deployment and company flag, company active. */
export function isMagicLinkEffective(services: IdentityServices, company: CompanyRow | null): company is CompanyRow {
  return services.settings.magicLinkEnabled && company?.is_active === true && company.enable_magic_link;
}

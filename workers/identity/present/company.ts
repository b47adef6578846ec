import { isMagicLinkEffective } from "../rules/magic-link";
import type { IdentityServices } from "../services";
import type { CompanyRow } from "../store/people";

/** The auth-methods object of the contract; OAuth is off until a company has a client. */
export function presentAuthMethods(services: IdentityServices, company: CompanyRow) {
  const effective = isMagicLinkEffective(services, company);
  return {
    enable_magic_link: company.enable_magic_link === 1,
    magic_link_effective: effective,
    magic_link_globally_enabled: services.settings.magicLinkEnabled,
    enable_oauth: false,
    oauth_providers: [],
    methods: effective ? ["magic_link"] : [],
  };
}

/** The public settings (details 6); an unknown or inactive company looks like one with every method off. */
export function presentSettings(services: IdentityServices, company: CompanyRow | null) {
  const effective = isMagicLinkEffective(services, company);
  return {
    methods: effective ? ["magic_link"] : [],
    oauthProviders: [],
    enable_oauth: false,
    enable_magic_link: effective,
    sign_in_code: effective && services.settings.signInCode,
  };
}

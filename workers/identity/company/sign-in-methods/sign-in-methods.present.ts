import type { CompanyRow, OAuthClientRow } from "../../../../db/identity/schema";
import type { IdentityServices } from "../../services";
import { isUsable } from "./oauth-client";
import { isMagicLinkEffective, signInWarnings } from "./sign-in-methods";

function methodsOf(isMagicLink: boolean, isOauth: boolean): ("magic_link" | "oauth")[] {
  return [...(isMagicLink ? (["magic_link"] as const) : []), ...(isOauth ? (["oauth"] as const) : [])];
}

function providerIds(clients: OAuthClientRow[]): string[] {
  return clients.map((client) => client.provider_id).sort();
}

/** How people sign in to a company, for its administrators; OAuth is on when a client is active and complete. */
export function presentAuthMethods(
  services: IdentityServices,
  { company, clients }: { company: CompanyRow; clients: OAuthClientRow[] },
) {
  const isMagicLink = isMagicLinkEffective(services, company);
  const providers = providerIds(clients.filter(isUsable));
  return {
    enable_magic_link: company.enable_magic_link,
    magic_link_effective: isMagicLink,
    magic_link_globally_enabled: services.settings.magicLinkEnabled,
    notify_new_device: company.notify_new_device,
    enable_oauth: providers.length > 0,
    oauth_providers: providers,
    methods: methodsOf(isMagicLink, providers.length > 0),
    warnings: signInWarnings(services, { company, clients }),
  };
}

/**
 * The public settings; an unknown or inactive company looks like one with every method off. A member also sees which
 * clients there are, but neither their ids at the provider nor their secrets.
 */
export function presentSettings(
  services: IdentityServices,
  found: { company: CompanyRow | null; clients: OAuthClientRow[]; isMember: boolean },
) {
  const isMagicLink = isMagicLinkEffective(services, found.company);
  const usable = found.company?.is_active ? found.clients.filter(isUsable) : [];
  const providers = providerIds(usable);
  return {
    methods: methodsOf(isMagicLink, usable.length > 0),
    oauthProviders: providers,
    enable_oauth: usable.length > 0,
    enable_magic_link: isMagicLink,
    sign_in_code: isMagicLink && services.settings.signInCode,
    ...(isMagicLink ? { magic_link_ttl_seconds: services.settings.magicLinkMs / 1000 } : {}),
    ...(found.isMember
      ? {
          oauthClients: usable.map(({ id, provider_id, label }) => ({ id, provider: provider_id, label })),
          external: Object.fromEntries(providers.map((provider) => [provider, true])),
        }
      : {}),
  };
}

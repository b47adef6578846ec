import type { MethodFacts, SignInMethod } from "./types";

const providerIds = ({ clients }: MethodFacts) => clients.map(({ provider_id }) => provider_id).sort();

/**
 * Sign-in by a provider. It is effective when at least one client is active and complete. The presented fields never contain
 * client ids or secrets of a provider.
 */
export const oauth: SignInMethod = {
  isEffective: (_settings, { clients }) => clients.length > 0,
  presentSettings: (_settings, facts, isEffective) => ({
    enable_oauth: isEffective,
    oauthProviders: providerIds(facts),
  }),
  presentForMembers: (facts) => ({
    oauthClients: facts.clients.map(({ id, provider_id, label }) => ({ id, provider: provider_id, label })),
    external: Object.fromEntries(providerIds(facts).map((provider) => [provider, true])),
  }),
  presentAuthMethods: (_settings, facts, isEffective) => ({
    enable_oauth: isEffective,
    oauth_providers: providerIds(facts),
  }),
  accountData: (provider) => ({ oauth_provider: provider }),
  totals: [],
};

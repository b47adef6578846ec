import type { MethodDefinition } from "./method.ts";

/** Alternative ids of the same provider. */
const pairs = [
  ["x", "twitter"],
  ["meta", "facebook"],
  ["linkedin", "linkedin_oidc"],
];
const namesOf = (id: string): string[] => pairs.find((pair) => pair.includes(id)) ?? [id];

/** Returns the ids of enabled providers, as the service uses them, in the configured order or else sorted. */
function liveProviders(configured: readonly string[], live: readonly string[]): string[] {
  if (configured.length === 0) return live.toSorted();
  const providers = configured.flatMap((id) => live.find((liveId) => namesOf(id).includes(liveId)) ?? []);
  return [...new Set(providers)];
}

export const oauth: MethodDefinition = {
  isDefault: ({ oauthProviders }) => oauthProviders !== undefined,
  backends: ["platform", "supabase"],
  /** The last used provider is first. */
  optionsOf: ({ oauthProviders = [] }, { providers }, last) =>
    liveProviders(oauthProviders, providers).toSorted((a, b) => Number(b === last) - Number(a === last)),
  providers: [],
  account: null,
};

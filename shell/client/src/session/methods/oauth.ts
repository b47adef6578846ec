import type { MethodDefinition } from "./method.ts";

/** Alternative ids of the same provider. */
const pairs = [
  ["x", "twitter"],
  ["meta", "facebook"],
  ["linkedin", "linkedin_oidc"],
];
const namesOf = (id: string): string[] => pairs.find((pair) => pair.includes(id)) ?? [id];

/** Returns the live providers in configured order, else by name, with the ids that the service uses. */
function liveProviders(configured: readonly string[], live: readonly string[]): string[] {
  if (configured.length === 0) return live.toSorted();
  const providers = configured.flatMap((id) => live.find((one) => namesOf(id).includes(one)) ?? []);
  return [...new Set(providers)];
}

export const oauth: MethodDefinition = {
  isDefault: ({ oauthProviders }) => oauthProviders !== undefined,
  backends: ["platform", "supabase"],
  /** The last used provider comes first. */
  optionsOf: ({ oauthProviders = [] }, { providers }, last) =>
    liveProviders(oauthProviders, providers).toSorted((a, b) => Number(b === last) - Number(a === last)),
  providers: [],
  account: null,
};

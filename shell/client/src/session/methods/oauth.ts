import type { MethodDefinition } from "./method.ts";

/** Names of one and the same provider. */
const pairs = [
  ["x", "twitter"],
  ["meta", "facebook"],
  ["linkedin", "linkedin_oidc"],
];
const namesOf = (id: string): string[] => pairs.find((pair) => pair.includes(id)) ?? [id];

/** The live providers in the configured order, else by name; the live id is the one that is sent. */
function liveProviders(configured: readonly string[], live: readonly string[]): string[] {
  if (configured.length === 0) return live.toSorted();
  const providers = configured.flatMap((id) => live.find((one) => namesOf(id).includes(one)) ?? []);
  return [...new Set(providers)];
}

export const oauth: MethodDefinition = {
  isDefault: ({ oauthProviders }) => oauthProviders !== undefined,
  backends: ["platform", "supabase"],
  /** The one used last stands first. */
  optionsOf: ({ oauthProviders = [] }, { providers }, last) =>
    liveProviders(oauthProviders, providers).toSorted((a, b) => Number(b === last) - Number(a === last)),
  providers: [],
  account: null,
};

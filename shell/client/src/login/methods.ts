import type { PageBackend } from "../../../../schemas/shell/page.ts";
import type { LiveSettings } from "../session/adapters/adapter.ts";

/** What the view draws: a form for links, buttons for providers, one for a wallet. */
export type Methods = { link: boolean; providers: string[]; wallet: boolean };

/** Names of one and the same provider. */
const pairs = [
  ["x", "twitter"],
  ["meta", "facebook"],
  ["linkedin", "linkedin_oidc"],
];
const namesOf = (id: string): string[] => pairs.find((pair) => pair.includes(id)) ?? [id];

/**
 * The configured methods that are live. Providers come in the configured order, else by name, the one used last first; the live
 * id is the one that is sent.
 */
export function methodsOf(
  { type, login = {} }: Pick<PageBackend, "type" | "login">,
  live: LiveSettings,
  last: string | null,
): Methods {
  const wanted = login.methods ?? (login.oauthProviders === undefined ? ["magic_link"] : ["magic_link", "oauth"]);
  const has = (method: "magic_link" | "oauth" | "web3") => wanted.includes(method) && live.methods.includes(method);
  const listed = has("oauth") ? liveProviders(login.oauthProviders ?? [], live.providers) : [];
  return {
    link: has("magic_link"),
    providers: listed.toSorted((a, b) => Number(b === last) - Number(a === last)),
    wallet: type === "supabase" && has("web3"),
  };
}

function liveProviders(configured: readonly string[], live: readonly string[]): string[] {
  if (configured.length === 0) return live.toSorted();
  const found = configured.flatMap((id) => live.find((one) => namesOf(id).includes(one)) ?? []);
  return [...new Set(found)];
}

export const isEmpty = ({ link, providers, wallet }: Methods): boolean => !link && !wallet && providers.length === 0;

const names: Record<string, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  linkedin: "LinkedIn",
  linkedin_oidc: "LinkedIn",
  twitter: "X",
  meta: "Facebook",
  azure: "Microsoft",
  workos: "WorkOS",
  fly: "Fly.io",
};

/** Name of a provider; null for the company's own one, which every language calls otherwise. */
export function providerName(id: string): string | null {
  if (id === "oidc" || id === "saml" || id === "sso") return null;
  // A company's own OpenID provider: what stands behind is the name it was given.
  const words = id
    .replace(/^oidc[_-]/, "")
    .split(/[_-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return names[id] ?? words.join(" ");
}

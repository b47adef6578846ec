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

/** Returns the name of a provider, or null for the company's own provider, whose label depends on the language. */
export function providerName(id: string): string | null {
  if (id === "oidc" || id === "saml" || id === "sso") return null;
  // The part of the id after the prefix is the name that the company gave to its OpenID provider.
  const nameParts = id
    .replace(/^oidc[_-]/, "")
    .split(/[_-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return names[id] ?? nameParts.join(" ");
}

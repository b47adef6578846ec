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
  const nameParts = id
    .replace(/^oidc[_-]/, "")
    .split(/[_-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return names[id] ?? nameParts.join(" ");
}

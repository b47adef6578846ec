/**
 * The host of a request as hosting reads it: an app by its slug, one deployment of it by the first 8 characters of its id, or a
 * host name of a company.
 */
export type AppHost =
  | { kind: "app"; slug: string }
  | { kind: "deployment"; slug: string; address: string }
  | { kind: "custom"; hostname: string };

const MAX_HOSTNAME = 253;
const hostnamePattern = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/u;

/**
 * Returns what a host name addresses, or null for a name that cannot belong to an app. `domain` is the domain of the apps, with or
 * without a port; the port of a request does not matter.
 */
export function parseAppHost(name: string, domain: string): AppHost | null {
  const hostname = name.toLowerCase().replace(/\.$/u, "");
  const [base = ""] = domain.split(":", 1);
  if (hostname === base) return null;
  if (hostname.endsWith(`.${base}`)) {
    const label = hostname.slice(0, -base.length - 1);
    const [, slug, address] = /^([a-z][a-z0-9-]{0,62}?)(?:--([0-9a-f]{8}))?$/u.exec(label) ?? [];
    if (slug === undefined) return null;
    return address === undefined ? { kind: "app", slug } : { kind: "deployment", slug, address };
  }
  if (hostname.length > MAX_HOSTNAME || !hostnamePattern.test(hostname)) return null;
  return { kind: "custom", hostname };
}

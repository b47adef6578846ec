// This file imports nothing, so that scripts can load it without a build.

/** The services whose hosts are `{service}.{domain}`. */
const serviceNames = ["identity", "email", "hosting", "storage"] as const;

/** Returns the hosts of the services on some domains. */
export const serviceHostsOf = (domains: readonly string[]): string[] =>
  domains
    .filter((domain) => domain !== "")
    .flatMap((domain) => serviceNames.map((service) => `${service}.${domain}`.toLowerCase()));

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

/**
 * Returns the first host that the domain of the apps equals, contains or is contained in, or null. An app could otherwise set cookies
 * for that host, or read its cookies. The domain may have a port, which is ignored.
 */
export function findOverlappingHost(domain: string, hosts: readonly string[]): string | null {
  const [name = ""] = domain.toLowerCase().split(":", 1);
  return hosts.find((host) => isWithin(host, name) || isWithin(name, host)) ?? null;
}

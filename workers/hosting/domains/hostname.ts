import { serviceHostsOf } from "../../../schemas/hosting/app-domain";
import type { HostingSettings } from "../settings";

/** The label before the host name at which the TXT record with the proof is expected. */
export const PROOF_LABEL = "_platform-hosting";

/** Maximum length of a host name, so that the name of its TXT record has at most the 253 characters of DNS. */
const MAX_HOSTNAME = 253 - PROOF_LABEL.length - 1;

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that never resolve to a public host (RFC 6761, RFC 6762, RFC 8375). */
const PRIVATE = ["localhost", "local", "internal", "home.arpa", "invalid", "onion"];

type ReservedSettings = Pick<HostingSettings, "apps" | "identity">;
type HostnameProblem = "blank" | "invalid" | "too_long" | "reserved";

/**
 * Returns a host name in ASCII and lower case, without a trailing dot, or the code of its problem: it is not a host name of at
 * least two labels (`invalid`), an IP address (`invalid`), too long for its TXT record (`too_long`), or `reserved`, because it is
 * private or equals or is below the domain of the apps or of a service.
 */
export function readHostname(
  input: string,
  settings: ReservedSettings,
): { hostname: string } | { problem: HostnameProblem } {
  const text = input.trim().replace(/\.$/, "");
  if (text === "") return { problem: "blank" };
  // A URL parser would accept the first character of these as the end of the host.
  if (/[\s/\\:@?#%[\]*]/.test(text) || !URL.canParse(`https://${text}`)) return { problem: "invalid" };
  const { hostname } = new URL(`https://${text}`);
  if (hostname.length > MAX_HOSTNAME) return { problem: "too_long" };
  const labels = hostname.split(".");
  const topLevel = labels.at(-1) ?? "";
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(topLevel)) {
    return { problem: "invalid" };
  }
  const isReserved = reservedDomains(settings).some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
  return isReserved ? { problem: "reserved" } : { hostname };
}

/** Returns the domains that no custom domain may equal or be below. */
function reservedDomains({ apps, identity }: ReservedSettings): string[] {
  const appDomain = apps.domain === null ? [] : [apps.domain.replace(/:\d+$/, "")];
  const issuer = URL.canParse(identity.issuer) ? [new URL(identity.issuer).hostname] : [];
  return [...PRIVATE, ...appDomain, ...issuer, ...serviceHostsOf(apps.serviceDomains)];
}

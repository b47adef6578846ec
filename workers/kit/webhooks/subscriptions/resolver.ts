import { resolveCached } from "../../net/dns-cache";
import type { ActionsContext } from "../context";

/** The resolver of target names, with answers kept in the isolate. */
export function resolverOf({ settings, fetch, clock }: ActionsContext): (name: string) => Promise<string[]> {
  return (name) => resolveCached(name, settings.dnsResolverUrl, fetch, clock);
}

import { resolveOverHttps } from "../../kit/net/dns";
import { safeFetch } from "../../kit/net/safe-fetch";
import type { IdentityServices } from "../services";

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;

/**
 * One call of a sign-in provider (details 4.1): https to a public host, 5 s in all, no redirects, at most 1 MiB. In DEBUG
 * a provider of the developer's own machine may be called, by http too. Throws an OutboundError.
 */
export function callProvider(
  services: IdentityServices,
  url: string | URL,
  request: Pick<RequestInit, "method" | "headers" | "body"> = {},
): Promise<Response> {
  const { fetch, settings } = services;
  return safeFetch(url, request, {
    fetch,
    resolve: (name) => resolveOverHttps(name, settings.dnsResolverUrl, fetch),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    allowHttp: settings.debug,
    allowPrivate: settings.debug,
  });
}

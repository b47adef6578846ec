import { resolveOverHttps } from "../../../kit/net/dns";
import { OutboundError, safeFetch } from "../../../kit/net/safe-fetch";
import type { IdentityServices } from "../../services";

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;
const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Thrown when a provider is unreachable or its response is unusable. The message contains no secret. */
export class ProviderCallError extends Error {
  override readonly name = "ProviderCallError";
}

/** Requests to a sign-in provider. `get` and `postForm` return the JSON of a 2xx response, else throw a ProviderCallError. */
export type ProviderCalls = {
  get(url: string, bearer?: string): Promise<unknown>;
  postForm(url: string, form: Record<string, string>, headers?: Record<string, string>): Promise<unknown>;
  /** Returns the parsed URL. Throws when it may not be called or redirected to. Does not resolve its host. */
  requireUrl(url: string): URL;
};

/**
 * Returns the calls to providers for one request to identity. Each call uses https, takes at most 5 s, follows no redirects,
 * reads at most 1 MiB and reaches only public hosts. Host names are resolved again for each request to identity. In DEBUG a
 * provider may run on a loopback host, also over http.
 */
export function createCalls(services: Pick<IdentityServices, "fetch" | "settings">): ProviderCalls {
  const { settings, fetch } = services;
  const resolved = new Map<string, Promise<string[]>>();

  const isLoopback = (url: URL) => settings.debug && LOOPBACK_HOSTS.has(url.hostname);

  /** Resolves a host name once per request to identity. */
  function resolve(name: string): Promise<string[]> {
    const addresses = resolved.get(name) ?? resolveOverHttps(name, settings.dnsResolverUrl, fetch);
    resolved.set(name, addresses);
    return addresses;
  }

  function requireUrl(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (
      !url ||
      url.username ||
      url.password ||
      !(url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url)))
    )
      throw new ProviderCallError("the URL of a provider is not https");
    return url;
  }

  async function call(text: string, request: Pick<RequestInit, "method" | "headers" | "body">): Promise<unknown> {
    const url = requireUrl(text);
    const isLocal = isLoopback(url);
    try {
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, allowHttp: isLocal, allowPrivate: isLocal };
      const response = await safeFetch(url, request, { fetch, resolve, ...limits });
      if (!response.ok) throw new ProviderCallError(`a provider returned HTTP ${response.status}`);
      return await response.json<unknown>();
    } catch (cause) {
      if (cause instanceof ProviderCallError) throw cause;
      const reason = cause instanceof OutboundError ? cause.reason : "no JSON";
      throw new ProviderCallError(`a provider returned no usable response: ${reason}`, { cause });
    }
  }

  const headers = { accept: "application/json", "user-agent": "platform-identity/1.0" };
  return {
    requireUrl,
    get: (url, bearer) =>
      call(url, { headers: { ...headers, ...(bearer ? { authorization: `Bearer ${bearer}` } : {}) } }),
    postForm: (url, form, extraHeaders = {}) =>
      call(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/x-www-form-urlencoded", ...extraHeaders },
        body: new URLSearchParams(form).toString(),
      }),
  };
}

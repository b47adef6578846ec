import { readBoundedText } from "../../kit/net/bounded-text";
import { resolveOverHttps } from "../../kit/net/dns";
import { checkPublicHost, type HostCheck } from "../../kit/net/public-address";
import type { IdentityServices } from "../services";

const timeoutMs = 5000;
const maxBytes = 1024 * 1024;
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A provider could not be asked, or its answer cannot be used. The message holds no secret. */
export class ProviderCallError extends Error {
  override readonly name = "ProviderCallError";
}

/** Calls of a sign-in provider (identity details 4.1, 15.4). Both answer the JSON of a 2xx, else throw a ProviderCallError. */
export type ProviderCalls = {
  get(url: string, bearer?: string): Promise<unknown>;
  postForm(url: string, form: Record<string, string>, headers?: Record<string, string>): Promise<unknown>;
  /** Throws when the URL may not be called or redirected to; does not ask for its addresses. */
  requireUrl(url: string): URL;
};

/**
 * The calls of one request: https, 5 s in all, no redirects, at most 1 MiB, and only to public hosts, whose addresses are
 * looked up anew for each request. In debug a provider may run on the loopback host, also over http.
 */
export function createCalls(services: Pick<IdentityServices, "fetch" | "settings">): ProviderCalls {
  const { settings, fetch } = services;
  const checks = new Map<string, Promise<HostCheck>>();

  const isLoopback = (url: URL) => settings.debug && loopback.has(url.hostname);

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

  async function requirePublicHost(url: URL): Promise<void> {
    if (isLoopback(url)) return;
    const check =
      checks.get(url.hostname) ??
      checkPublicHost(url.hostname, (name) => resolveOverHttps(name, settings.dnsResolverUrl, fetch));
    checks.set(url.hostname, check);
    const result = await check;
    if (!result.ok) throw new ProviderCallError(`the host of a provider is ${result.reason}`);
  }

  async function call(text: string, init: RequestInit): Promise<unknown> {
    const url = requireUrl(text);
    await requirePublicHost(url);
    try {
      const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      const body = await readBoundedText(response, maxBytes);
      if (!response.ok) throw new ProviderCallError(`a provider answered HTTP ${response.status}`);
      return JSON.parse(body) as unknown;
    } catch (cause) {
      if (cause instanceof ProviderCallError) throw cause;
      throw new ProviderCallError("a provider did not answer in time, or not in JSON", { cause });
    }
  }

  const headers = { accept: "application/json", "user-agent": "platform-identity/1.0" };
  return {
    requireUrl,
    get: (url, bearer) =>
      call(url, { headers: { ...headers, ...(bearer ? { authorization: `Bearer ${bearer}` } : {}) } }),
    postForm: (url, form, more = {}) =>
      call(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/x-www-form-urlencoded", ...more },
        body: new URLSearchParams(form).toString(),
      }),
  };
}

import { readBoundedText } from "../../kit/net/bounded-text";
import type { HostingSettings } from "../settings";

/** Registers host names where their certificates are made and their requests arrive. */
export type HostnameProvider = {
  /** Registers a host name, or finds its registration, and returns the id. Throws when the provider does not accept it. */
  register: (hostname: string) => Promise<string>;
  /** Removes the registration of a host name, if there is one. Throws when the provider does not accept it. */
  remove: (hostname: string) => Promise<void>;
};

/** Maximum size of a response that is read. */
const MAX_RESPONSE_BYTES = 256 * 1024;
const TIMEOUT_MS = 8000;

/** Cloudflare's code for a host name that the zone already has. */
const DUPLICATE = 1406;

type Envelope = { success?: unknown; errors?: unknown; result?: unknown };

/** Cloudflare did not accept a request. The message has the HTTP status and Cloudflare's error codes. */
export class CloudflareError extends Error {
  override readonly name = "CloudflareError";
}

/**
 * Returns the provider that registers custom hostnames of a zone at Cloudflare, or null without an API token:
 * https://developers.cloudflare.com/api/resources/custom_hostnames/
 */
export function cloudflareHostnames(
  { domains: { cloudflareToken: token, cloudflareUrl, cloudflareZone } }: Pick<HostingSettings, "domains">,
  fetch: typeof globalThis.fetch,
): HostnameProvider | null {
  if (token === "") return null;
  const base = `${cloudflareUrl}/zones/${cloudflareZone}/custom_hostnames`;

  async function call(method: string, path: string, body?: unknown): Promise<{ status: number; envelope: Envelope }> {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await readBoundedText(response, MAX_RESPONSE_BYTES);
    return { status: response.status, envelope: readEnvelope(text) };
  }

  async function find(hostname: string): Promise<string | null> {
    const { status, envelope } = await call("GET", `?hostname=${encodeURIComponent(hostname)}`);
    if (status !== 200 || envelope.success !== true) throw failure(status, envelope);
    const rows: unknown[] = Array.isArray(envelope.result) ? envelope.result : [];
    // The filter of the API also matches longer names.
    return rows.map((row) => idOf(row, hostname)).find((id) => id !== null) ?? null;
  }

  return {
    register: async (hostname) => {
      const { status, envelope } = await call("POST", "", { hostname, ssl: { method: "http", type: "dv" } });
      const id = envelope.success === true ? idOf(envelope.result, hostname) : null;
      if (id !== null) return id;
      if (!codesOf(envelope).includes(DUPLICATE)) throw failure(status, envelope);
      const present = await find(hostname);
      if (present === null) throw failure(status, envelope);
      return present;
    },
    remove: async (hostname) => {
      const id = await find(hostname);
      if (id === null) return;
      const { status, envelope } = await call("DELETE", `/${encodeURIComponent(id)}`);
      if (status >= 300 && status !== 404) throw failure(status, envelope);
    },
  };
}

function readEnvelope(text: string): Envelope {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // An intermediary may return a page instead of JSON. The status then describes the failure.
    return {};
  }
}

function idOf(row: unknown, hostname: string): string | null {
  if (typeof row !== "object" || row === null || !("id" in row) || !("hostname" in row)) return null;
  return typeof row.id === "string" && row.hostname === hostname ? row.id : null;
}

function codesOf({ errors }: Envelope): number[] {
  const list: unknown[] = Array.isArray(errors) ? errors : [];
  return list.flatMap((error) =>
    typeof error === "object" && error !== null && "code" in error && typeof error.code === "number"
      ? [error.code]
      : [],
  );
}

function failure(status: number, envelope: Envelope): CloudflareError {
  return new CloudflareError(`HTTP ${status}, codes ${codesOf(envelope).join(", ") || "none"}`);
}

import { checkPublicHost } from "./public-address";

/**
 * The reason why an outbound request got no response. `target`: the URL is not allowed. `not_public`, `unresolved`: the
 * host check failed. `timeout`: the total time was exceeded. `connection`: no HTTP response arrived. `too_large`: the
 * body exceeds the limit.
 */
type OutboundReason = "target" | "not_public" | "unresolved" | "timeout" | "connection" | "too_large";

/** A failed outbound request. The message is the reason and never the URL, which may contain secrets. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly reason: OutboundReason;
  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(`outbound call failed: ${reason}`, options);
    this.reason = reason;
  }
}

/** Limits and dependencies of an outbound request; times in ms, sizes in bytes. */
export type SafeFetchOptions = {
  fetch: typeof globalThis.fetch;
  /** returns every address of a name, e.g. `resolveOverHttps`; an error counts as no response */
  resolve: (name: string) => Promise<string[]>;
  /** total time of the host check, connection, request and body */
  timeoutMs: number;
  /** maximum size of the decoded body */
  maxBytes: number;
  /**
   * `refuse` (default): a body that exceeds the limit or ends early is an error. `cut`: the response contains the bytes
   * received until then, for callers that decide by the status.
   */
  body?: "refuse" | "cut";
  /** allows http in addition to https */
  allowHttp?: boolean;
  /** skips the host check: for development, or for a target that staff allowed */
  allowPrivate?: boolean;
};

type OutboundRequest = Pick<RequestInit, "method" | "headers" | "body">;

const MAX_URL_LENGTH = 2048;
const BODILESS = new Set([204, 205, 304]);

/**
 * Sends a request to a URL from an untrusted source. The URL must use https without user info, and every address of its
 * host must be public at the time of the request. Redirects are not followed (a 3xx is returned). The total time and
 * the size of the body are limited. The body of the returned response has already been read. Throws an OutboundError.
 */
export async function safeFetch(
  target: string | URL,
  request: OutboundRequest,
  options: SafeFetchOptions,
): Promise<Response> {
  const url = readTarget(target, options.allowHttp ?? false);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), options.timeoutMs);
  const { signal } = controller;
  try {
    if (!options.allowPrivate) await requirePublicHost(url, options, signal);
    const call = options.fetch(url.href, { ...request, redirect: "manual", cache: "no-store", signal });
    const response = await orTimeout(call, signal);
    return await readResponse(response, options, signal);
  } catch (cause) {
    if (cause instanceof OutboundError) throw cause;
    throw new OutboundError(signal.aborted ? "timeout" : "connection", { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the URL without its fragment; throws an OutboundError `target` when the URL is not allowed. */
function readTarget(target: string | URL, allowHttp: boolean): URL {
  const url = URL.parse(String(target));
  const isScheme = url?.protocol === "https:" || (allowHttp && url?.protocol === "http:");
  if (!url || !isScheme || url.href.length > MAX_URL_LENGTH || url.username !== "" || url.password !== "") {
    throw new OutboundError("target");
  }
  url.hash = "";
  return url;
}

async function requirePublicHost(url: URL, options: SafeFetchOptions, signal: AbortSignal): Promise<void> {
  const check = await orTimeout(checkPublicHost(url.hostname, options.resolve), signal);
  if (!check.ok) throw new OutboundError(check.reason);
}

/**
 * Returns the result of `work`. Throws an OutboundError `timeout` when the signal fires first, even if `work` ignores
 * the signal.
 */
function orTimeout<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const rejectWithTimeout = () => reject(new OutboundError("timeout"));
    if (signal.aborted) rejectWithTimeout();
    signal.addEventListener("abort", rejectWithTimeout, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", rejectWithTimeout));
  });
}

async function readResponse(response: Response, options: SafeFetchOptions, signal: AbortSignal): Promise<Response> {
  // fetch has decoded the body, so the headers about its encoding and length no longer apply. A Response cannot be
  // built with a status outside 200 to 599.
  if (response.status < 200 || response.status > 599) throw new OutboundError("connection");
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const { status } = response;
  const body = await readBody(response, options, signal);
  return new Response(BODILESS.has(status) ? null : body, { status, headers });
}

async function readBody(
  response: Response,
  options: SafeFetchOptions,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { maxBytes, body: mode = "refuse" } = options;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  try {
    while (reader) {
      const { done, value } = await orTimeout(reader.read(), signal);
      if (done) break;
      const room = maxBytes - size;
      if (value.byteLength > room && mode === "refuse") throw new OutboundError("too_large");
      chunks.push(value.subarray(0, room));
      size += Math.min(value.byteLength, room);
      if (size >= maxBytes && mode === "cut") break;
    }
  } catch (cause) {
    if (mode === "refuse") throw cause;
  } finally {
    // Not awaited: a stalled peer must not prolong the request.
    reader?.cancel().catch(() => undefined);
  }
  return joinBytes(chunks, size);
}

function joinBytes(chunks: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

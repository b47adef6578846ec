import { checkPublicHost } from "./public-address";

/**
 * Why an outbound request got no response. `target`: not an allowed URL. `not_public`, `unresolved`: the host check.
 * `timeout`: the total time. `connection`: no HTTP response. `too_large`: the body exceeds the cap.
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
  /** returns every address of a name, e.g. `resolveOverHttps`; throwing counts as no response */
  resolve: (name: string) => Promise<string[]>;
  /** total of name check, connection, request and body */
  timeoutMs: number;
  /** of the decoded body */
  maxBytes: number;
  /**
   * `refuse` (default): a body that exceeds the cap or breaks off is an error. `cut`: the response holds the bytes
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
 * Sends a request to a URL that comes from outside: https without user info, every address of the host public at the
 * time of this request, no redirects (a 3xx is returned), total time and size limited. The body of the response is
 * already read. Throws an OutboundError.
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
    return await readAnswer(response, options, signal);
  } catch (cause) {
    if (cause instanceof OutboundError) throw cause;
    throw new OutboundError(signal.aborted ? "timeout" : "connection", { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the URL without its fragment; throws an OutboundError `target` when it is not allowed. */
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
 * Returns the result of the work, or throws an OutboundError `timeout` when the signal fires first, even if the work
 * ignores it.
 */
function orTimeout<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new OutboundError("timeout"));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

async function readAnswer(response: Response, options: SafeFetchOptions, signal: AbortSignal): Promise<Response> {
  // The body is already decoded, so its framing headers no longer apply. A Response cannot be built with a status
  // outside 200 to 599.
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
    // Not awaited: a stalled peer must not extend the request's time.
    reader?.cancel().catch(() => undefined);
  }
  return joinBytes(chunks, size);
}

function joinBytes(chunks: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

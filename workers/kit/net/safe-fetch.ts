import { checkPublicHost } from "./public-address";

/**
 * Why an outbound call has no answer: `target` is no URL that may be called, `not_public` and `unresolved` are the host
 * check, `timeout` the whole time, `connection` no HTTP answer, `too_large` a body over the cap.
 */
type OutboundReason = "target" | "not_public" | "unresolved" | "timeout" | "connection" | "too_large";

/** An outbound call without a usable answer. The message names the reason and never the URL, which may hold secrets. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly reason: OutboundReason;
  constructor(reason: OutboundReason, options?: ErrorOptions) {
    super(`outbound call failed: ${reason}`, options);
    this.reason = reason;
  }
}

/** What the caller of a foreign address decides; times in ms, sizes in bytes. */
export type SafeFetchOptions = {
  fetch: typeof globalThis.fetch;
  /** every address of a name, e.g. `resolveOverHttps`; throwing counts as no answer */
  resolve: (name: string) => Promise<string[]>;
  /** of name check, connection, request and body together */
  timeoutMs: number;
  /** of the decoded body */
  maxBytes: number;
  /**
   * `refuse` (default): a body over the cap, or one that breaks off, is an error. `cut`: the answer is what came until
   * then, because its status line has decided already.
   */
  body?: "refuse" | "cut";
  /** http beside https */
  allowHttp?: boolean;
  /** leaves the host check out: for development, or for a target that staff allowed */
  allowPrivate?: boolean;
};

type OutboundRequest = Pick<RequestInit, "method" | "headers" | "body">;

const MAX_URL_LENGTH = 2048;
const BODILESS = new Set([204, 205, 304]);

/**
 * Calls an address that somebody else chose: https without user info, a host whose every address is public at this very
 * attempt, no redirects (a 3xx is answered as it came), total time and size capped. The body of the answer is read
 * already. Throws an OutboundError.
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

/** The address without its fragment; an OutboundError `target` when it may not be called at all. */
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

/** The work, or an OutboundError `timeout` when the signal comes first, also when the work does not heed it. */
function orTimeout<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new OutboundError("timeout"));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

async function readAnswer(response: Response, options: SafeFetchOptions, signal: AbortSignal): Promise<Response> {
  // The body is read and decoded here, so its framing no longer holds; other statuses cannot be built.
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
    // Not waited for: a peer that stalls must not hold the call beyond its time.
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

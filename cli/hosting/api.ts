import { randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { memberOf, textOf } from "../account/service.ts";

/** An app as the hosting service returns it. */
export type App = {
  id: string;
  name: string;
  slug: string;
  display_name: string;
  expires_at: string | null;
  current_deployment_id: string | null;
  urls?: { url: string };
};

/** A line of `_headers` or `_redirects` that the service did not understand. */
export type Warning = { file: string; line: number; text: string; reason: string };

export type Deployment = {
  id: string;
  app_version: string;
  status: string;
  pinned: boolean;
  message: string;
  deployed_by_id: number | string;
  file_count: number | null;
  total_bytes: number | null;
  bytes_new: number | null;
  warnings?: Warning[];
  created_at: string;
  finalized_at: string | null;
  urls?: { url?: string; deployment_url?: string };
  expires_at?: string | null;
};

/** What the service does not have of a deployment: the hashes, their bytes, and whether the deployment fits into the limits. */
export type MissingFiles = { missing: string[]; bytes_missing: number; fits: boolean };

/** An error response of the hosting service, or `unreachable` when there was none. */
export class HostingError extends Error {
  override readonly name = "HostingError";
  readonly code: string;
  readonly status: number;
  /** the body of the response, for codes that have further fields */
  readonly body: unknown;
  readonly retryAfterSeconds: number | null;

  constructor(code: string, status: number, body: unknown, retryAfterSeconds: number | null) {
    super(`${code}: ${describe(body) || messageWithout(status)}`);
    this.code = code;
    this.status = status;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const messageWithout = (status: number) => (status === 0 ? "the service does not respond" : `HTTP ${status}`);

/** Returns the message, the field errors and the request id of an error response in one line. */
function describe(body: unknown): string {
  const fields = memberOf(body, "field_errors");
  const fieldTexts = Object.entries(typeof fields === "object" && fields !== null ? fields : {}).map(
    ([field, codes]) => `${field}: ${[codes].flat().join(", ")}`,
  );
  const requestId = textOf(body, "request_id");
  return [textOf(body, "message"), ...fieldTexts.slice(0, MAX_FIELDS), requestId && `(request ${requestId})`]
    .filter(Boolean)
    .join(" ");
}

const MAX_FIELDS = 5;
const CALL_MS = 60_000;
/** The slowest upload that counts as alive, in bytes per millisecond. */
const SLOWEST_UPLOAD = 10;
/** Tries of a call that gets no response, or 5xx without `Retry-After`. */
const MAX_TRIES = 5;
/** The longest time that a call waits for a rate limit or an unavailable service. */
const MAX_WAIT_SECONDS = 600;

type Call = {
  body?: unknown;
  /** a file to send as the body */
  file?: { path: string; size: number };
};

export type ApiOptions = {
  /** base URL of the hosting service, without a trailing slash */
  url: string;
  /** returns the access token; called before each request, because a token expires during a long upload */
  findToken: () => Promise<string | undefined>;
  /** receives a sentence before a wait of several seconds */
  onWait?: (sentence: string) => void;
  /** ends the calls */
  signal?: AbortSignal;
};

/** Calls of the hosting API. A call repeats itself after 429, 503 and network errors, and throws a HostingError. */
export type HostingApi = ReturnType<typeof createApi>;

export function createApi(options: ApiOptions) {
  const call = async <Result>(method: string, path: string, content: Call = {}): Promise<Result> => {
    let waitedSeconds = 0;
    for (let tries = 1; ; tries += 1) {
      const result = await send(options, method, path, content);
      if (!(result instanceof HostingError)) return result as Result;
      const seconds = delayOf(result, tries);
      waitedSeconds += seconds ?? 0;
      if (seconds === null || waitedSeconds > MAX_WAIT_SECONDS) throw result;
      if (seconds > 4) options.onWait?.(`Waiting ${seconds} s: ${result.message}`);
      await wait(seconds * 1000, undefined, options.signal ? { signal: options.signal } : {});
      // A limit ends by itself, so it does not count as a failure.
      if (result.retryAfterSeconds !== null) tries = 0;
    }
  };
  return {
    get: <Result>(path: string) => call<Result>("GET", path),
    post: <Result>(path: string, body?: unknown) => call<Result>("POST", path, { body }),
    /** Sends a file. Resolves when the service has stored it. */
    put: (path: string, file: NonNullable<Call["file"]>) => call<unknown>("PUT", path, { file }),
  };
}

/** Returns the seconds until the next try, or null for none. */
function delayOf({ status, code, retryAfterSeconds }: HostingError, tries: number): number | null {
  const isTemporary = status === 0 || status === 429 || (status >= 500 && code !== "hosting_not_configured");
  if (!isTemporary) return null;
  if (retryAfterSeconds !== null) return Math.max(1, retryAfterSeconds);
  return tries >= MAX_TRIES ? null : 2 ** (tries - 1) / 2;
}

/** Sends a request. Returns the JSON of the response, or the error. Throws only when the calls were ended. */
async function send({ url, findToken, signal }: ApiOptions, method: string, path: string, { body, file }: Call) {
  signal?.throwIfAborted();
  const token = await findToken();
  const limit = AbortSignal.timeout(CALL_MS + (file === undefined ? 0 : Math.ceil(file.size / SLOWEST_UPLOAD)));
  const headers = {
    Accept: "application/json",
    "X-Request-ID": randomUUID(),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(file !== undefined && { "Content-Type": "application/octet-stream" }),
  };
  // A Blob of a file is read while it is sent, and has a length, which the service requires.
  const content = file === undefined ? (body === undefined ? null : JSON.stringify(body)) : await openAsBlob(file.path);
  let response: Response;
  let text: string;
  try {
    const signals = signal === undefined ? limit : AbortSignal.any([limit, signal]);
    response = await fetch(`${url}/hosting/v1/${path}`, {
      method,
      headers,
      body: content,
      redirect: "error",
      signal: signals,
    });
    text = await response.text();
  } catch {
    signal?.throwIfAborted();
    return new HostingError("unreachable", 0, { message: `${url} does not respond.` }, null);
  }
  const parsed = parseJson(text);
  if (response.ok) return parsed;
  const code = textOf(parsed, "error_code");
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new HostingError(
    code !== undefined && /^[a-z0-9_]{1,64}$/.test(code) ? code : `http_${response.status}`,
    response.status,
    parsed,
    Number.isFinite(seconds) ? Math.ceil(seconds) : null,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An empty response, or a page of a proxy.
    return undefined;
  }
}

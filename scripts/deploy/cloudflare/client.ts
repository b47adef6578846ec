import { missingPermission } from "./permissions.ts";

/** The part of Cloudflare's response envelope that is not the result. */
type Envelope<T> = {
  success: boolean;
  errors?: { code: number; message: string }[];
  result: T;
  result_info?: { page?: number; total_pages?: number; cursor?: string };
};

/** The body of a request: JSON, or a form with files. `token` replaces the API token. */
export type CallOptions = {
  query?: Record<string, string>;
  json?: unknown;
  form?: FormData;
  token?: string;
};

export type ClientOptions = {
  /** without a final slash */
  baseUrl: string;
  token: string;
  /** waits before a retry */
  wait: (ms: number) => Promise<void>;
};

export type Cloudflare = ReturnType<typeof createClient>;

const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 500;
/** Cloudflare limits a token to 1,200 requests per five minutes, so a longer wait would not help. */
const MAX_WAIT_MS = 300_000;
const RESPONSE_TIMEOUT_MS = 120_000;
const PAGE_SIZE = 100;

/** A rejection by Cloudflare. `code` is the first of its error codes, or 0. The message names the call and the way out. */
export class CloudflareError extends Error {
  override readonly name = "CloudflareError";
  readonly status: number;
  readonly code: number;

  constructor(call: string, status: number, errors: { code: number; message: string }[]) {
    const texts = errors.map(({ code, message }) => `${message} (${code})`);
    const hint = status === 401 || status === 403 ? missingPermission(call) : "";
    super(`Cloudflare rejected ${call} with ${status}: ${texts.join(" ") || "no explanation"}${hint}`);
    this.status = status;
    this.code = errors[0]?.code ?? 0;
  }
}

/** Returns whether the error is a rejection with one of the codes. */
export function hasCode(error: unknown, ...codes: number[]): boolean {
  return error instanceof CloudflareError && codes.includes(error.code);
}

const isTemporary = (status: number): boolean => status === 429 || status >= 500;

/** Returns the wait before the next attempt in ms. Prefers the header Retry-After, in seconds. */
function waitBefore(attempt: number, response: Response | null): number {
  const seconds = Number(response?.headers.get("retry-after") ?? Number.NaN);
  const backoff = FIRST_WAIT_MS * 2 ** (attempt - 1);
  return Math.min(Number.isFinite(seconds) ? seconds * 1000 : backoff, MAX_WAIT_MS);
}

async function readEnvelope<T>(response: Response): Promise<Envelope<T>> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Envelope<T>;
  } catch {
    // Gateways in front of the API respond with pages.
    return { success: false, errors: [], result: null as T };
  }
}

/**
 * Returns a client of Cloudflare's REST API. Each call returns the result of the response. Rate limits, server errors and lost
 * connections are retried, so a call may be executed twice: callers accept that a resource exists already.
 */
export function createClient({ baseUrl, token, wait }: ClientOptions) {
  async function send<T>(method: string, path: string, options: CallOptions): Promise<Envelope<T>> {
    const url = new URL(`${baseUrl}${path}`);
    for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, value);
    const headers: Record<string, string> = { authorization: `Bearer ${options.token ?? token}` };
    if (options.json !== undefined) headers["content-type"] = "application/json";
    const body = options.form ?? (options.json === undefined ? null : JSON.stringify(options.json));
    const call = `${method} ${path}`;
    for (let attempt = 1; ; attempt += 1) {
      let response: Response | null = null;
      let cause: unknown;
      try {
        response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
        const envelope = await readEnvelope<T>(response);
        if (response.ok && envelope.success) return envelope;
        if (!isTemporary(response.status)) throw new CloudflareError(call, response.status, envelope.errors ?? []);
        cause = new CloudflareError(call, response.status, envelope.errors ?? []);
      } catch (error) {
        if (error instanceof CloudflareError) throw error;
        cause = new Error(`Cloudflare does not respond to ${call} at ${baseUrl}. Check the connection.`, {
          cause: error,
        });
      }
      if (attempt === MAX_ATTEMPTS) throw cause;
      await wait(waitBefore(attempt, response));
    }
  }

  return {
    call: async <T>(method: string, path: string, options: CallOptions = {}): Promise<T> =>
      (await send<T>(method, path, options)).result,

    /** Returns all pages of a list. */
    list: async <T>(path: string, query: Record<string, string> = {}): Promise<T[]> => {
      const items: T[] = [];
      for (let page = 1; ; page += 1) {
        const envelope = await send<T[]>("GET", path, {
          query: { ...query, page: String(page), per_page: String(PAGE_SIZE) },
        });
        items.push(...(envelope.result ?? []));
        if (page >= (envelope.result_info?.total_pages ?? 1)) return items;
      }
    },
  };
}

import { randomUuid, serviceError } from "../service-error.ts";

type Call = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: object | undefined;
  token?: string | undefined;
  headers?: Record<string, string>;
  /** omits the request id, for services whose CORS policy limits the headers */
  omitRequestId?: boolean;
  /** ms */
  timeout?: number;
  /** continues when the page is closed */
  keepalive?: boolean;
};

const TIMEOUT = 10_000;

/** Calls a service and returns the JSON of the response, or null if there is none. Throws a `ServiceError`. */
export async function call(url: string, options: Call = {}): Promise<unknown> {
  const { method = "GET", body, token, headers = {}, timeout = TIMEOUT, keepalive = false } = options;
  const { omitRequestId = body === undefined && token === undefined } = options;
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      credentials: "omit",
      keepalive,
      signal: AbortSignal.timeout(timeout),
      headers: {
        Accept: "application/json",
        ...(!omitRequestId && { "X-Request-ID": randomUuid() }),
        ...(body && { "Content-Type": "application/json" }),
        ...(token && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch {
    throw serviceError("unreachable");
  }
  const data: unknown = await response.json().catch(() => null);
  if (response.ok) return data;
  const { status } = response;
  const retryAfter = Number(response.headers.get("Retry-After") ?? Number.NaN);
  throw serviceError(readCode(data) ?? codeOfStatus(status), {
    status,
    retryAfter: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : null,
    requestId: response.headers.get("X-Request-ID") ?? readText(data, "request_id"),
  });
}

/** Returns the fields of an object, or an empty object for anything else. */
export const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Returns a non-empty text field, or null. */
export function readText(value: unknown, name: string): string | null {
  const text = fieldsOf(value)[name];
  return typeof text === "string" && text !== "" ? text : null;
}

/** Returns the texts of an array field, or an empty list. */
export function readTexts(value: unknown, name: string): string[] {
  const list = fieldsOf(value)[name];
  return Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
}

/** Reads the error code; messages are ignored. */
const readCode = (data: unknown): string | null => {
  const code = readText(data, "error_code") ?? readText(data, "error");
  return code !== null && /^[a-z0-9_]{1,64}$/.test(code) ? code : null;
};

const codeOfStatus = (status: number) =>
  status === 429
    ? "rate_limited"
    : status >= 500
      ? "service_unavailable"
      : status === 403
        ? "forbidden"
        : `http_${status}`;

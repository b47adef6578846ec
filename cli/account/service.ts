import { randomUUID } from "node:crypto";
import type { Credential } from "./credentials.ts";

const limitMs = 15_000;

/** An error response of a service, or `unreachable` when there was no response. Contains no secret. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, requestId: string | undefined) {
    super(`${code}${requestId === undefined ? "" : ` (request ${requestId})`}`);
    this.code = code;
    this.status = status;
  }
}

type Call = { method: "GET" | "POST"; token?: string | undefined; body?: unknown };

/**
 * Calls a service and returns the JSON of the response. Throws a ServiceError with the error code of the response, but
 * without its message.
 */
export async function callService(url: string, { method, token, body }: Call): Promise<unknown> {
  const headers = {
    Accept: "application/json",
    "X-Request-ID": randomUUID(),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const serializedBody = body === undefined ? null : JSON.stringify(body);
  const signal = AbortSignal.timeout(limitMs);
  let response: Response;
  try {
    response = await fetch(url, { method, headers, body: serializedBody, signal, redirect: "error" });
  } catch {
    throw new ServiceError("unreachable", 0, undefined);
  }
  const responseBody: unknown = await response.json().catch(() => undefined);
  if (response.ok) return responseBody;
  const code = textOf(responseBody, "error_code");
  throw new ServiceError(
    code && /^[a-z0-9_]{1,64}$/.test(code) ? code : `http_${response.status}`,
    response.status,
    textOf(responseBody, "request_id"),
  );
}

/**
 * Returns the tokens in the response to a sign-in or refresh. Also accepts numbers that are sent as strings. Throws a
 * ServiceError.
 */
export function readTokens(payload: unknown): Credential {
  const [accessToken, refreshToken] = [textOf(payload, "access_token"), textOf(payload, "refresh_token")];
  if (!accessToken || !refreshToken) throw new ServiceError("answer_not_understood", 200, undefined);
  const expiresAt = Number(memberOf(payload, "expires_at"));
  const lifetimeSeconds = Number(memberOf(payload, "expires_in"));
  const now = Math.floor(Date.now() / 1000);
  return { accessToken, refreshToken, expiresAt: lifetimeSeconds > 0 ? now + lifetimeSeconds : expiresAt || now };
}

export function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

export function textOf(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === "string" ? member : undefined;
}

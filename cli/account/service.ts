import { randomUUID } from "node:crypto";
import type { Credential } from "./credentials.ts";

const limitMs = 15_000;

/** A service that refused, or did not answer: `code` is `unreachable` then. No secret is in it. */
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

/** Calls a service. Texts that it sends are never shown; its code is. */
export async function callService(url: string, { method, token, body }: Call): Promise<unknown> {
  const headers = {
    Accept: "application/json",
    "X-Request-ID": randomUUID(),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const sent = body === undefined ? null : JSON.stringify(body);
  const signal = AbortSignal.timeout(limitMs);
  let response: Response;
  try {
    response = await fetch(url, { method, headers, body: sent, signal, redirect: "error" });
  } catch {
    throw new ServiceError("unreachable", 0, undefined);
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const code = textOf(answer, "error_code");
  throw new ServiceError(
    code && /^[a-z0-9_]{1,64}$/.test(code) ? code : `http_${response.status}`,
    response.status,
    textOf(answer, "request_id"),
  );
}

/** The payload of a sign-in or refresh. Numbers may arrive as texts. */
export function readTokens(answer: unknown): Credential {
  const [accessToken, refreshToken] = [textOf(answer, "access_token"), textOf(answer, "refresh_token")];
  if (!accessToken || !refreshToken) throw new ServiceError("answer_not_understood", 200, undefined);
  const at = Number(memberOf(answer, "expires_at"));
  const inSeconds = Number(memberOf(answer, "expires_in"));
  const now = Math.floor(Date.now() / 1000);
  return { accessToken, refreshToken, expiresAt: inSeconds > 0 ? now + inSeconds : at || now };
}

export function memberOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

export function textOf(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === "string" ? member : undefined;
}

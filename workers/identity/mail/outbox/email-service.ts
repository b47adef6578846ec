import { errorName } from "../../../kit/log";
import { readRetryAfter } from "../../../kit/net/retry-after";
import type { IdentityServices } from "../../services";

/** The outcome of one request to the email service. `retryAfterMs` is the wait from Retry-After. */
export type Outcome =
  | { kind: "sent" }
  | { kind: "final"; error: string }
  | { kind: "retry"; error: string; retryAfterMs?: number };

const MAX_RETRY_AFTER_SECONDS = 3600;

/** Returns a function that calls the email service, or null while its URL or key is not configured. */
export function emailCaller({ settings, email }: Pick<IdentityServices, "settings" | "email">) {
  const { emailServiceKey: key, emailServiceUrl: url } = settings;
  if (key === "" || (url === null && email === null)) return null;
  return (path: string, init: RequestInit) =>
    email !== null && url === null ? email.fetch(`http://email${path}`, init) : fetch(`${url}${path}`, init);
}

/**
 * Posts JSON to the email service. A response with one of `finalStatuses` is final, because a retry would get the same
 * response.
 */
export async function postToEmailService(
  services: IdentityServices,
  post: { path: string; body: string; requestId: string; finalStatuses: ReadonlySet<number> },
): Promise<Outcome> {
  const { settings } = services;
  const { path, body, requestId, finalStatuses } = post;
  const call = emailCaller(services);
  if (call === null) {
    return { kind: finalStatuses.has(401) ? "final" : "retry", error: "email_not_configured" };
  }
  const headers = {
    authorization: `Bearer ${settings.emailServiceKey}`,
    "content-type": "application/json",
    "x-request-id": requestId,
  };
  const signal = AbortSignal.timeout(settings.emailTimeoutMs);
  try {
    const response = await call(path, { method: "POST", headers, body, redirect: "manual", signal });
    await response.body?.cancel();
    if (response.ok) return { kind: "sent" };
    const error = `http_${response.status}`;
    const retryAfterSeconds = readRetryAfter(response.headers.get("retry-after"), services.clock.now());
    // A temporary conflict, such as a paused lane, has a Retry-After header.
    const isTemporary = response.status === 409 && retryAfterSeconds !== null;
    if (finalStatuses.has(response.status) && !isTemporary) return { kind: "final", error };
    return { kind: "retry", error, retryAfterMs: Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS) * 1000 };
  } catch (error) {
    return { kind: "retry", error: errorName(error) };
  }
}

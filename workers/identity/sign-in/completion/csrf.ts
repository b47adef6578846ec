import { timingSafeEqual } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { readTokenCookie, tokenCookie } from "./cookie";

const COOKIE = "platform_csrf";

/** Returns the form's token and its cookie. Reuses the cookie of the request, else generates 32 random bytes. */
export function prepareCsrf(services: IdentityServices, request: Request): { token: string; cookie: string } {
  const token = readTokenCookie(services, request, COOKIE) ?? randomToken();
  return { token, cookie: tokenCookie(services, request, COOKIE, token) };
}

/**
 * Throws `csrf_failed` unless the cookie equals the form value and `Origin` and `Sec-Fetch-Site`, if present, are the same
 * site. For form posts only.
 */
export function checkCsrf(services: IdentityServices, request: Request, formToken: string): void {
  const cookie = readTokenCookie(services, request, COOKIE);
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isSameOrigin = origin === null || origin === "null" || origin === new URL(request.url).origin;
  const isSameSite = site === null || site === "same-origin";
  if (!cookie || !timingSafeEqual(cookie, formToken) || !isSameOrigin || !isSameSite) throw new Problem("csrf_failed");
}

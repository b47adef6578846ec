import { timingSafeEqual } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { readTokenCookie, tokenCookie } from "./cookie";

const COOKIE = "platform_csrf";

/**
 * Returns the token for a form and the cookie that must accompany it. Reuses the token in the request's cookie, else
 * generates 32 random bytes.
 */
export function prepareCsrf(services: IdentityServices, request: Request): { token: string; cookie: string } {
  const token = readTokenCookie(services, request, COOKIE) ?? randomToken();
  return { token, cookie: tokenCookie(services, request, COOKIE, token) };
}

/**
 * Throws `csrf_failed` unless the form's token equals the cookie and the request comes from this origin. `Origin` may also be
 * missing or `null`, and `Sec-Fetch-Site` may be missing. For form posts only.
 */
export function checkCsrf(services: IdentityServices, request: Request, formToken: string): void {
  const cookie = readTokenCookie(services, request, COOKIE);
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isSameOrigin = origin === null || origin === "null" || origin === new URL(request.url).origin;
  const isSameSite = site === null || site === "same-origin";
  if (!cookie || !timingSafeEqual(cookie, formToken) || !isSameOrigin || !isSameSite) throw new Problem("csrf_failed");
}

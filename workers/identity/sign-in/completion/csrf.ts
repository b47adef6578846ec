import { timingSafeEqual } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { readTokenCookie, tokenCookie } from "./cookie";

const COOKIE = "platform_csrf";

/** The form's token and the cookie to set: the present cookie is used again, else 32 random bytes. */
export function prepareCsrf(services: IdentityServices, request: Request): { token: string; cookie: string } {
  const token = readTokenCookie(services, request, COOKIE) ?? randomToken();
  return { token, cookie: tokenCookie(services, request, COOKIE, token) };
}

/** Form posts only: cookie equals form value, `Origin` (not "null") and `Sec-Fetch-Site` are our own. */
export function checkCsrf(services: IdentityServices, request: Request, formToken: string): void {
  const cookie = readTokenCookie(services, request, COOKIE);
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isOwnOrigin = origin === null || origin === "null" || origin === new URL(request.url).origin;
  const isOwnSite = site === null || site === "same-origin";
  if (!cookie || !timingSafeEqual(cookie, formToken) || !isOwnOrigin || !isOwnSite) throw new Problem("csrf_failed");
}

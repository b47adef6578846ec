import { timingSafeEqual } from "../../kit/crypto/hash";
import { randomToken } from "../../kit/crypto/random";
import { Problem } from "../../kit/problem";

/** The cookie's name; on http, in debug only, browsers refuse the prefix and `Secure` (details 2.4). */
function cookieName(request: Request): string {
  return new URL(request.url).protocol === "https:" ? "__Host-platform_csrf" : "platform_csrf";
}

function readCookie(request: Request): string | null {
  const name = cookieName(request);
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = pair.trim().split("=");
    if (key === name && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return null;
}

/** The form's token and the cookie to set: the present cookie is used again, else 32 random bytes. */
export function prepareCsrf(request: Request): { token: string; cookie: string } {
  const token = readCookie(request) ?? randomToken();
  const secure = new URL(request.url).protocol === "https:" ? "; Secure" : "";
  return { token, cookie: `${cookieName(request)}=${token}; HttpOnly; SameSite=Lax; Path=/${secure}` };
}

/** Form posts only (details 2.4): cookie equals form value, `Origin` (not "null") and `Sec-Fetch-Site` are our own. */
export function checkCsrf(request: Request, formToken: string): void {
  const cookie = readCookie(request);
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const isOwnOrigin = origin === null || origin === "null" || origin === new URL(request.url).origin;
  const isOwnSite = site === null || site === "same-origin";
  if (!cookie || !timingSafeEqual(cookie, formToken) || !isOwnOrigin || !isOwnSite) throw new Problem("csrf_failed");
}

import type { IdentityServices } from "../../services";

type Mode = Pick<IdentityServices, "settings">;

/**
 * Returns whether cookies are `Secure` and have the prefix `__Host-`. False only in development over plain http, because
 * browsers accept such cookies only over https.
 */
function isSecure({ settings }: Mode, request: Request): boolean {
  return !settings.debug || new URL(request.url).protocol === "https:";
}

function fullName(mode: Mode, request: Request, name: string): string {
  return isSecure(mode, request) ? `__Host-${name}` : name;
}

/** Returns the value of a cookie that contains 32 random bytes in base64url, or null when it is missing or malformed. */
export function readTokenCookie(mode: Mode, request: Request, name: string): string | null {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = pair.trim().split("=");
    if (key === fullName(mode, request, name) && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return null;
}

/** Returns a `Set-Cookie` value. `maxAge` is in seconds; without it, the cookie lasts as long as the browser session. */
export function tokenCookie(mode: Mode, request: Request, name: string, value: string, maxAge?: number): string {
  const secure = isSecure(mode, request) ? "; Secure" : "";
  const life = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
  return `${fullName(mode, request, name)}=${value}; HttpOnly; SameSite=Lax; Path=/${secure}${life}`;
}

import type { IdentityServices } from "../../services";

type Mode = Pick<IdentityServices, "settings">;

/** Cookies require https. In development over plain http, browsers reject the `__Host-` prefix and `Secure`. */
function isSecure({ settings }: Mode, request: Request): boolean {
  return !settings.debug || new URL(request.url).protocol === "https:";
}

function fullName(mode: Mode, request: Request, name: string): string {
  return isSecure(mode, request) ? `__Host-${name}` : name;
}

/** Returns the value of a cookie of 32 random bytes, or null without a well-formed one. */
export function readTokenCookie(mode: Mode, request: Request, name: string): string | null {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = pair.trim().split("=");
    if (key === fullName(mode, request, name) && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return null;
}

/** A `Set-Cookie` value; without `maxAge` (seconds) it lives as long as the browser session. */
export function tokenCookie(mode: Mode, request: Request, name: string, value: string, maxAge?: number): string {
  const secure = isSecure(mode, request) ? "; Secure" : "";
  const life = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
  return `${fullName(mode, request, name)}=${value}; HttpOnly; SameSite=Lax; Path=/${secure}${life}`;
}

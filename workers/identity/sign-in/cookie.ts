/** Attributes of our cookies; on http, in debug only, browsers refuse the prefix and `Secure`. */
function isSecure(request: Request): boolean {
  return new URL(request.url).protocol === "https:";
}

function fullName(request: Request, name: string): string {
  return isSecure(request) ? `__Host-${name}` : name;
}

/** The value of a cookie of 32 random bytes, or null when there is none in that form. */
export function readTokenCookie(request: Request, name: string): string | null {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = pair.trim().split("=");
    if (key === fullName(request, name) && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return null;
}

/** A `Set-Cookie` value; without `maxAge` (seconds) it lives as long as the browser session. */
export function tokenCookie(request: Request, name: string, value: string, maxAge?: number): string {
  const secure = isSecure(request) ? "; Secure" : "";
  const life = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
  return `${fullName(request, name)}=${value}; HttpOnly; SameSite=Lax; Path=/${secure}${life}`;
}

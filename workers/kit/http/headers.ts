/** Sets the security headers of every response; a page keeps its own Content-Security-Policy. */
export function securityHeaders(headers: Headers, debug: boolean): void {
  headers.set("x-content-type-options", "nosniff");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  if (!headers.has("content-security-policy")) {
    headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  }
  if (!debug) headers.set("strict-transport-security", "max-age=63072000; includeSubDomains");
}

/**
 * Sets the CORS headers of an API response. With an empty list every origin is allowed (`*`). Otherwise a listed origin
 * is echoed. Credentials are never allowed.
 */
export function corsHeaders(
  headers: Headers,
  request: Request,
  allowed: readonly string[],
  names: { allow: string; expose: string },
): void {
  if (allowed.length > 0) headers.append("vary", "Origin");
  const origin = request.headers.get("origin");
  if (allowed.length > 0 && !(origin && allowed.includes(origin))) return;
  headers.set("access-control-allow-origin", allowed.length > 0 && origin ? origin : "*");
  headers.set("access-control-expose-headers", names.expose);
  if (request.method === "OPTIONS") {
    headers.set("access-control-allow-methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
    headers.set("access-control-allow-headers", names.allow);
    headers.set("access-control-max-age", "7200");
  }
}

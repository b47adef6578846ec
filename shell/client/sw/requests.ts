// Which requests the worker answers. Never: other origins, requests that carry Authorization, /api/, addresses of a sign-in.

type RouteRequest = { request: Request; url: URL; sameOrigin: boolean };

const signInParameters = ["platform_auth_code", "platform_oauth_error", "platform_oauth_error_code"];
/** Names that applications have too: they are those of a sign-in at its own addresses alone. */
const loginParameters = [...signInParameters, "code", "state"];

function isOfSignIn({ pathname, searchParams }: URL): boolean {
  const names = /^\/login(\/|$)/.test(pathname) ? loginParameters : signInParameters;
  return names.some((name) => searchParams.has(name));
}

function isCacheable({ request, url, sameOrigin }: RouteRequest): boolean {
  if (!sameOrigin || request.method !== "GET" || request.headers.has("authorization")) return false;
  return !url.pathname.startsWith("/api/") && !isOfSignIn(url);
}

export function isNavigation(route: RouteRequest): boolean {
  return isCacheable(route) && route.request.mode === "navigate" && route.request.destination === "document";
}

/** Hashed files, whose content never changes. */
export function isAsset(route: RouteRequest): boolean {
  return isCacheable(route) && route.url.pathname.startsWith("/assets/");
}

/** Other files of the site; pages inside frames are among them. */
export function isSiteFile(route: RouteRequest): boolean {
  return isCacheable(route) && route.request.destination !== "document" && route.url.pathname !== "/sw.js";
}

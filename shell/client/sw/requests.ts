// Decides which requests the service worker handles. Never: other origins, requests with Authorization, /api/, sign-in
// addresses.

type RouteRequest = { request: Request; url: URL; sameOrigin: boolean };

const signInParameters = ["platform_auth_code", "platform_oauth_error", "platform_oauth_error_code"];
/** Applications may use these names too, so they count on the sign-in pages only. */
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

/** Whether the request is for a hashed file, whose content never changes. */
export function isAsset(route: RouteRequest): boolean {
  return isCacheable(route) && route.url.pathname.startsWith("/assets/");
}

/** Whether the request is for another file of the site, including pages inside frames. */
export function isSiteFile(route: RouteRequest): boolean {
  return isCacheable(route) && route.request.destination !== "document" && route.url.pathname !== "/sw.js";
}

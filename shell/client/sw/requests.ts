// Decides which requests the service worker handles. It never handles requests to other origins, to /api/ or to addresses with
// sign-in parameters, or requests with an Authorization header.

type RouteRequest = { request: Request; url: URL; sameOrigin: boolean };

const signInParameters = ["platform_auth_code", "platform_oauth_error", "platform_oauth_error_code"];
/** Applications may also use `code` and `state`, so these parameters count only on the sign-in pages. */
const loginParameters = [...signInParameters, "code", "state"];

function isSignInAddress({ pathname, searchParams }: URL): boolean {
  const names = /^\/login(\/|$)/.test(pathname) ? loginParameters : signInParameters;
  return names.some((name) => searchParams.has(name));
}

function isCacheable({ request, url, sameOrigin }: RouteRequest): boolean {
  if (!sameOrigin || request.method !== "GET" || request.headers.has("authorization")) return false;
  return !url.pathname.startsWith("/api/") && !isSignInAddress(url);
}

export function isNavigation(route: RouteRequest): boolean {
  return isCacheable(route) && route.request.mode === "navigate" && route.request.destination === "document";
}

/** Returns whether the request is for a file with a hash in its name, whose content never changes. */
export function isAsset(route: RouteRequest): boolean {
  return isCacheable(route) && route.url.pathname.startsWith("/assets/");
}

/**
 * Returns whether the request is for a file of the site other than the page that the user opens. Pages in frames are such
 * files.
 */
export function isSiteFile(route: RouteRequest): boolean {
  return isCacheable(route) && route.request.destination !== "document" && route.url.pathname !== "/sw.js";
}

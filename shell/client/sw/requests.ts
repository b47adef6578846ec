// Which requests the worker answers. Never: other origins, requests that carry Authorization, /api/, addresses of a sign-in.

type Asked = { request: Request; url: URL; sameOrigin: boolean };

const signInParameters = ["platform_auth_code", "platform_oauth_error", "platform_oauth_error_code"];
/** Names that applications have too: they are those of a sign-in at its own addresses alone. */
const loginParameters = [...signInParameters, "code", "state"];

function isOfSignIn({ pathname, searchParams }: URL): boolean {
  const names = /^\/login(\/|$)/.test(pathname) ? loginParameters : signInParameters;
  return names.some((name) => searchParams.has(name));
}

function isOwn({ request, url, sameOrigin }: Asked): boolean {
  if (!sameOrigin || request.method !== "GET" || request.headers.has("authorization")) return false;
  return !url.pathname.startsWith("/api/") && !isOfSignIn(url);
}

export function isNavigation(asked: Asked): boolean {
  return isOwn(asked) && asked.request.mode === "navigate" && asked.request.destination === "document";
}

/** Hashed files, whose content never changes. */
export function isAsset(asked: Asked): boolean {
  return isOwn(asked) && asked.url.pathname.startsWith("/assets/");
}

/** Other files of the site; pages inside frames are among them. */
export function isOwnFile(asked: Asked): boolean {
  return isOwn(asked) && asked.request.destination !== "document" && asked.url.pathname !== "/sw.js";
}

import type { PageItem } from "../../../../schemas/shell/page.ts";
import type { Address } from "../router/router.ts";

/** The parts of an item that map shell addresses to frame addresses and back. */
export type Embedded = Pick<PageItem, "path" | "url" | "useHashRouter">;

/** Splits a hash into path and query: `#/a/b?x=1` → `/a/b` and `?x=1`. */
function splitHash(hash: string): { path: string; search: string } {
  const inner = hash.replace(/^#/, "");
  const queryStart = inner.indexOf("?");
  return queryStart === -1
    ? { path: inner, search: "" }
    : { path: inner.slice(0, queryStart), search: inner.slice(queryStart) };
}

const trimEnd = (path: string) => path.replace(/\/+$/, "");
const joinPaths = (base: string, rest: string) => (rest === "" ? base : `${trimEnd(base)}/${rest}`);

/** Joins two queries. If one is empty, returns the other one. */
const joinSearches = (first: string, second: string) =>
  first.length > 1 && second.length > 1 ? `${first}&${second.slice(1)}` : first.length > 1 ? first : second;

/** Removes the parameters of the application's base URL from a query. */
function withoutParametersOf(search: string, baseSearch: string): string {
  if (baseSearch.length < 2) return search;
  const parameters = search.replace(/^\?/, "").split("&").filter(Boolean);
  for (const parameter of baseSearch.slice(1).split("&")) {
    const index = parameters.indexOf(parameter);
    if (index !== -1) parameters.splice(index, 1);
  }
  return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
}

/** Returns whether a path contains a `..` segment in any encoding. A sub path must not leave the path of its item. */
const hasParentSegment = (path: string) => path.split("/").some((segment) => /^(\.|%2e){2}$/i.test(segment));

/**
 * Returns the frame URL for a shell address. Appends the sub path (`rest`) to the application's path, and keeps the query and
 * the fragment. With a hash router, the path and the query follow `#/`.
 */
export function frameAddress(item: Embedded, rest: string, search: string, hash: string, shellOrigin: string): string {
  const url = new URL(item.url, shellOrigin);
  const subPath = hasParentSegment(rest) ? "" : rest;
  if (item.useHashRouter) {
    const appBase = splitHash(url.hash);
    if (subPath !== "" || search !== "")
      url.hash = `#${joinPaths(appBase.path || "/", subPath)}${joinSearches(appBase.search, search)}`;
    return url.href;
  }
  if (subPath !== "") url.pathname = joinPaths(url.pathname, subPath);
  url.search = joinSearches(url.search, search);
  if (hash !== "") url.hash = hash;
  return url.href;
}

/**
 * Returns the shell address for a URL that a frame reports, or undefined when the URL is not below the URL of the item. With a
 * hash router, the address has no fragment.
 */
export function shellAddress(item: Embedded, reported: Address, shellOrigin: string): string | undefined {
  const base = new URL(item.url, shellOrigin);
  const appBase = item.useHashRouter ? splitHash(base.hash) : { path: base.pathname, search: base.search };
  const appAddress = item.useHashRouter
    ? splitHash(reported.hash)
    : { path: reported.pathname, search: reported.search };
  if (item.useHashRouter && reported.pathname !== base.pathname) return undefined;
  if (!appAddress.path.startsWith("/") && appAddress.path !== "") return undefined;
  const rest = pathBelow(trimEnd(appBase.path), appAddress.path || "/");
  if (rest === undefined || hasParentSegment(rest)) return undefined;
  const path = joinPaths(`/${item.path}`, rest);
  // A root item has an empty path, and two leading slashes would name a host.
  const shellPath = path.replace(/^\/{2,}/, "/");
  return shellPath + withoutParametersOf(appAddress.search, appBase.search) + (item.useHashRouter ? "" : reported.hash);
}

function pathBelow(base: string, path: string): string | undefined {
  if (trimEnd(path) === base) return "";
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1).replace(/^\/+/, "") : undefined;
}

/** Returns the parts of a frame URL, as the application reads them from `location`. */
export function partsOf(url: string): Address {
  const { pathname, search, hash } = new URL(url);
  return { pathname, search, hash };
}

/** Returns whether two URLs are equal, ignoring a trailing slash and an empty fragment. */
export function isSameAddress(first: string, second: string): boolean {
  const normalize = (url: string) => {
    const { origin, pathname, search, hash } = new URL(url);
    return `${origin}${trimEnd(pathname)}${search}${hash === "#" || hash === "#/" ? "" : hash}`;
  };
  return normalize(first) === normalize(second);
}

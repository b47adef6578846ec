import type { PageItem } from "../../../../schemas/shell/page.ts";
import type { Address } from "../router/router.ts";

/** Where a frame begins, and how its own addresses are written: what the two addresses of an application are made of. */
export type Embedded = Pick<PageItem, "path" | "url" | "useHashRouter">;

/** The path of a hash: `#/a/b?x=1` → `/a/b` and `?x=1`. */
function splitHash(hash: string): { path: string; search: string } {
  const inner = hash.replace(/^#/, "");
  const at = inner.indexOf("?");
  return at === -1 ? { path: inner, search: "" } : { path: inner.slice(0, at), search: inner.slice(at) };
}

const trimEnd = (path: string) => path.replace(/\/+$/, "");
const joinPaths = (base: string, rest: string) => (rest === "" ? base : `${trimEnd(base)}/${rest}`);

/** Two queries as one; `first` alone when the other is empty. */
const joinSearches = (first: string, second: string) =>
  first.length > 1 && second.length > 1 ? `${first}&${second.slice(1)}` : first.length > 1 ? first : second;

/** A query without the parameters that belong to the application's own address. */
function withoutParametersOf(search: string, baseSearch: string): string {
  if (baseSearch.length < 2) return search;
  const parameters = search.replace(/^\?/, "").split("&").filter(Boolean);
  for (const parameter of baseSearch.slice(1).split("&")) {
    const at = parameters.indexOf(parameter);
    if (at !== -1) parameters.splice(at, 1);
  }
  return parameters.length === 0 ? "" : `?${parameters.join("&")}`;
}

/** No step up, in any spelling: a sub path stays below the path of its item. */
const hasParentSegment = (path: string) => path.split("/").some((segment) => /^(\.|%2e){2}$/i.test(segment));

/**
 * Address of a frame for an address of the shell: the rest of the path stands behind the path of the application, query and
 * fragment are carried on. With a hash router path and query stand behind `#/`.
 */
export function frameAddress(item: Embedded, rest: string, search: string, hash: string, shellOrigin: string): string {
  const url = new URL(item.url, shellOrigin);
  const below = hasParentSegment(rest) ? "" : rest;
  if (item.useHashRouter) {
    const appBase = splitHash(url.hash);
    if (below !== "" || search !== "")
      url.hash = `#${joinPaths(appBase.path || "/", below)}${joinSearches(appBase.search, search)}`;
    return url.href;
  }
  if (below !== "") url.pathname = joinPaths(url.pathname, below);
  url.search = joinSearches(url.search, search);
  if (hash !== "") url.hash = hash;
  return url.href;
}

/**
 * Address of the shell for an address that a frame reports; undefined when it is not below the path of its item. The hash stays
 * empty with a hash router.
 */
export function shellAddress(item: Embedded, reported: Address, shellOrigin: string): string | undefined {
  const base = new URL(item.url, shellOrigin);
  const appBase = item.useHashRouter ? splitHash(base.hash) : { path: base.pathname, search: base.search };
  const at = item.useHashRouter ? splitHash(reported.hash) : { path: reported.pathname, search: reported.search };
  if (item.useHashRouter && reported.pathname !== base.pathname) return undefined;
  if (!at.path.startsWith("/") && at.path !== "") return undefined;
  const rest = pathBelow(trimEnd(appBase.path), at.path || "/");
  if (rest === undefined || hasParentSegment(rest)) return undefined;
  const path = joinPaths(`/${item.path}`, rest);
  // A root item has no path of its own before the rest; two slashes would name a host.
  const shellPath = path.replace(/^\/{2,}/, "/");
  return shellPath + withoutParametersOf(at.search, appBase.search) + (item.useHashRouter ? "" : reported.hash);
}

function pathBelow(base: string, path: string): string | undefined {
  if (trimEnd(path) === base) return "";
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1).replace(/^\/+/, "") : undefined;
}

/** Parts of a frame's address, as an application reads them from its own `location`. */
export function partsOf(url: string): Address {
  const { pathname, search, hash } = new URL(url);
  return { pathname, search, hash };
}

/** Whether two addresses show the same: a slash at the end of a path, or an empty hash, is no difference. */
export function sameAddress(one: string, other: string): boolean {
  const plain = (url: string) => {
    const { origin, pathname, search, hash } = new URL(url);
    return `${origin}${trimEnd(pathname)}${search}${hash === "#" || hash === "#/" ? "" : hash}`;
  };
  return plain(one) === plain(other);
}

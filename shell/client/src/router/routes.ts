import type { PageConfig, PageItem } from "../../../../schemas/shell/page.ts";
import { APP_SECTION_PREFIX } from "../../../../schemas/shell/settings-sections.ts";
import { builtInView, isListed, itemsOf, pathOf, type Viewer } from "./navigation.ts";

/**
 * The view of an address. `base` is the part of the path that selects the view, and `rest` is the part after it, both without
 * leading or trailing slashes. `panel` is the item whose settings are shown.
 */
export type Route = { base: string; item?: PageItem } & (
  | { view: "frame"; item: PageItem; rest: string }
  | { view: "settings"; rest: string; panel?: PageItem | undefined }
  | { view: "legal"; rest: string }
  | { view: "admin"; rest: string }
  | { view: "welcome" | "diagnostics" | "consent" | "login" | "callback" | "start" | "not-found" }
);

const trimSlashes = (path: string) => path.replace(/^\/+|\/+$/g, "");

/** Returns the path after `base`, or undefined when the path does not start with it. */
function subPathBelow(base: string, path: string): string | undefined {
  if (base === "" || path === base) return base === "" ? path : "";
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
}

/** Returns the path of the administration, if the `platform` backend configures its URL and path. */
export function adminPath({ backend }: PageConfig): string | undefined {
  if (backend?.type !== "platform" || backend.adminUrl === undefined) return undefined;
  return backend.adminPathname === undefined ? undefined : trimSlashes(backend.adminPathname);
}

/** Returns the route of a path. The longest matching path wins. An item with an empty path matches all remaining paths. */
export function matchRoute(config: PageConfig, pathname: string): Route {
  const path = trimSlashes(pathname);
  const builtIn = builtInRoute(config, path);
  if (builtIn !== undefined) return builtIn;
  if (path === "" && (config.startUrl !== undefined || rootItem(config) === undefined))
    return { view: "start", base: "" };
  let best: { item: PageItem; rest: string } | undefined;
  for (const { item } of itemsOf(config.navigation)) {
    const rest = subPathBelow(item.path, path);
    if (rest !== undefined && (best === undefined || item.path.length > best.item.path.length)) best = { item, rest };
  }
  return best === undefined ? { view: "not-found", base: path } : itemRoute(config, best.item, best.rest);
}

function builtInRoute(config: PageConfig, path: string): Route | undefined {
  const admin = adminPath(config);
  const adminSubPath = admin === undefined ? undefined : subPathBelow(admin, path);
  if (admin !== undefined && adminSubPath !== undefined) return { view: "admin", base: admin, rest: adminSubPath };
  const settings = subPathBelow("__settings", path);
  if (settings !== undefined) return settingsRoute(config, { base: "__settings", rest: settings });
  const legal = subPathBelow("legal", path);
  if (legal !== undefined) return { view: "legal", base: "legal", rest: legal };
  if (path === "__welcome") return { view: "welcome", base: path };
  if (path === "__diagnostics") return { view: "diagnostics", base: path };
  if (path === "__cookie-preferences") return { view: "consent", base: path };
  if (path === "login") return { view: "login", base: path };
  if (path === "login/callback") return { view: "callback", base: path };
  return path.startsWith("__") || path.startsWith("login/") ? { view: "not-found", base: path } : undefined;
}

function settingsRoute(config: PageConfig, route: { base: string; rest: string; item?: PageItem }): Route {
  const all = route.rest.startsWith(APP_SECTION_PREFIX) ? itemsOf(config.navigation) : [];
  const panel = all.find(
    ({ item }) => item.settings !== undefined && `${APP_SECTION_PREFIX}${item.path}` === route.rest,
  )?.item;
  return { view: "settings", ...route, panel };
}

function itemRoute(config: PageConfig, item: PageItem, rest: string): Route {
  const builtIn = builtInView(item.url);
  const base = item.path;
  if (builtIn === undefined) return { view: "frame", base, item, rest };
  const inner = [builtIn.rest, rest].filter(Boolean).join("/");
  if (builtIn.view === "settings") return settingsRoute(config, { base, item, rest: inner });
  if (builtIn.view === "legal") return { view: "legal", base, item, rest: inner };
  return rest === "" ? { view: builtIn.view, base, item } : { view: "not-found", base };
}

const rootItem = (config: PageConfig) => itemsOf(config.navigation).find(({ item }) => item.path === "")?.item;

/** Returns the target of `/`: `startUrl`, else the first listed item that is not external, else the welcome page. */
export function startAddress(config: PageConfig, viewer: Viewer): string {
  if (config.startUrl !== undefined && config.startUrl !== "/") return config.startUrl;
  const first = itemsOf(config.navigation).find(({ item }) => item.openIn !== "external" && isListed(item, viewer));
  return first === undefined || first.item.path === "" ? "/__welcome" : pathOf(first.item);
}

/** Returns whether the shell has a view for a path. Returns false for two leading slashes, because they would name a host. */
export function hasView(config: PageConfig, pathname: string): boolean {
  return !pathname.startsWith("//") && matchRoute(config, pathname).view !== "not-found";
}

/**
 * Returns whether a path names a file or folder of `static/` or of the build. Such a path has an extension or a trailing slash,
 * and no view has the same path.
 */
export function isFileOfServer(config: PageConfig, pathname: string): boolean {
  const { view, base } = matchRoute(config, pathname);
  if (view === "not-found") return /\.[^/]*$|\/$/.test(pathname);
  return /\.[^/]*$/.test(pathname) && view !== "settings" && pathname !== `/${base}`;
}

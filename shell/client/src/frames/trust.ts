import type { Level } from "../../../../schemas/shell/messages.ts";
import type { PageConfig, PageItem } from "../../../../schemas/shell/page.ts";
import { builtInView, itemsOf } from "../router/navigation.ts";
import { isRootRelative } from "../router/next.ts";

/**
 * The data that a frame receives. `none`: settings without user data, such as the appearance; `user`: also the user; `token`:
 * also the access token.
 */
export type TrustLevel = Level;

const ranks: Record<TrustLevel, number> = { none: 0, user: 1, token: 2 };

/** Returns whether `level` is at least as high as `needed`. */
export const isTrustedAs = (level: TrustLevel, needed: TrustLevel): boolean => ranks[level] >= ranks[needed];

/** Returns the level of an item's frame. */
export const levelOfItem = (item: Pick<PageItem, "safeForAuthToken" | "shareUser">): TrustLevel =>
  item.safeForAuthToken ? "token" : item.shareUser ? "user" : "none";

/** Returns the level of an overlay: the opener's level if the opener and `url` have the same origin, else `none`. */
export const levelOfOverlay = (opener: { origin: string; level: TrustLevel }, url: string): TrustLevel =>
  new URL(url).origin === opener.origin ? opener.level : "none";

/** Resolves an absolute or root-relative URL. Returns undefined unless it is http or https and has no credentials. */
export function resolveUrl(url: string, shellOrigin: string): URL | undefined {
  if (!/^https?:\/\//i.test(url) && !isRootRelative(url)) return undefined;
  let resolved: URL;
  try {
    resolved = new URL(url, shellOrigin);
  } catch {
    return undefined;
  }
  const isHttp = resolved.protocol === "https:" || resolved.protocol === "http:";
  return isHttp && resolved.username === "" && resolved.password === "" ? resolved : undefined;
}

const isLoopback = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.+\.localhost)$/.test(hostname);

/** Returns the origins whose pages may be shown in an overlay. */
export function overlayOrigins(config: PageConfig, shellOrigin: string): Set<string> {
  const urls = [
    ...itemsOf(config.navigation).map(({ item }) => item.url),
    ...itemsOf(config.navigation).flatMap(({ item }) => (item.settings === undefined ? [] : [item.settings])),
    config.backend?.adminUrl,
    config.storage?.url,
    config.storage?.filesUrl,
    ...config.security.frameOrigins,
  ];
  const origins = urls.flatMap((url) => (url === undefined ? [] : (resolveUrl(url, shellOrigin)?.origin ?? [])));
  return new Set([shellOrigin, ...origins]);
}

/** What an overlay shows: a view of the shell, a page in a frame, or an error. */
export type OverlayTarget = { kind: "view"; path: string } | { kind: "frame"; url: string } | { kind: "refused" };

/** Returns what an overlay shows for a URL. Development mode also allows loopback URLs. */
export function overlayTarget(
  url: string,
  config: PageConfig,
  shellOrigin: string,
  mode: "development" | "production",
): OverlayTarget {
  const resolved = resolveUrl(url, shellOrigin);
  if (resolved === undefined) return { kind: "refused" };
  if (resolved.origin === shellOrigin && builtInView(resolved.pathname) !== undefined)
    return { kind: "view", path: resolved.pathname };
  if (overlayOrigins(config, shellOrigin).has(resolved.origin)) return { kind: "frame", url: resolved.href };
  return mode === "development" && isLoopback(resolved) ? { kind: "frame", url: resolved.href } : { kind: "refused" };
}

/** Returns the `sandbox` of a frame. It never allows a frame to navigate the top page. */
export function sandboxOf(level: TrustLevel, extra: readonly string[] = []): string {
  const base = ["allow-scripts", "allow-same-origin", "allow-forms", "allow-popups", "allow-downloads"];
  const popups = level === "token" ? ["allow-popups-to-escape-sandbox"] : [];
  return [...new Set([...base, ...popups, ...extra])].join(" ");
}

/** Returns the `allow` attribute of a frame. It grants each permission only to the frame's own origin. */
export const permissionsOf = (origin: string, extra: readonly string[] = []): string =>
  ["fullscreen", "clipboard-write", ...extra].map((name) => `${name} ${origin}`).join("; ");

import type { Level } from "../../../../schemas/shell/messages.ts";
import type { PageConfig, PageItem } from "../../../../schemas/shell/page.ts";
import { builtInView, itemsOf } from "../router/navigation.ts";
import { isRootRelative } from "../router/next.ts";

/** What a frame is told: appearance alone, also who is signed in, also the access token. */
export type TrustLevel = Level;

const ranks: Record<TrustLevel, number> = { none: 0, user: 1, token: 2 };

/** Whether a level reaches another. */
export const reaches = (level: TrustLevel, needed: TrustLevel): boolean => ranks[level] >= ranks[needed];

/** Level of an item's own frame. */
export const levelOfItem = (item: Pick<PageItem, "safeForAuthToken" | "shareUser">): TrustLevel =>
  item.safeForAuthToken ? "token" : item.shareUser ? "user" : "none";

/** An overlay that an application opens has the level of its opener on the opener's own origin, else none. */
export const levelOfOverlay = (opener: { origin: string; level: TrustLevel }, url: string): TrustLevel =>
  new URL(url).origin === opener.origin ? opener.level : "none";

/** An absolute http(s) address without credentials, for one that is absolute or root-relative; undefined for any other. */
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

/** Origins whose pages may stand in an overlay. */
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

/** What an overlay shows: a view of the shell, a page in a frame, or a refusal. */
export type OverlayTarget = { kind: "view"; path: string } | { kind: "frame"; url: string } | { kind: "refused" };

/** Judges the address of an overlay. Loopback counts while a development server runs. */
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

/** `sandbox` of a frame. Nothing in it lets a frame lead the page around it away. */
export function sandboxOf(level: TrustLevel, extra: readonly string[] = []): string {
  const base = ["allow-scripts", "allow-same-origin", "allow-forms", "allow-popups", "allow-downloads"];
  const popups = level === "token" ? ["allow-popups-to-escape-sandbox"] : [];
  return [...new Set([...base, ...popups, ...extra])].join(" ");
}

/** `allow` of a frame: each permission for the frame's own origin alone. */
export const permissionsOf = (origin: string, extra: readonly string[] = []): string =>
  ["fullscreen", "clipboard-write", ...extra].map((name) => `${name} ${origin}`).join("; ");

import { createHash } from "node:crypto";
import { connectUrls, localSources } from "../../schemas/shell/connect.ts";
import { isGroup, type PageData, type PageEntry, type PageItem } from "../../schemas/shell/page.ts";

/** Returns the CSP hash of an inline script or style. */
export function hashForPolicy(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

type Inline = { scripts: string[]; styles: string[] };

/**
 * Returns the content security policy of a page. It limits connections to this origin and the configured hosts. Frames may
 * show any https origin, unless `security.strictFrames` limits them to the configured origins. `isMeta` omits the
 * directives that a `<meta>` policy cannot contain.
 */
export function contentPolicy(page: PageData, inline: Inline, isMeta = false): string {
  const { config } = page;
  const { backend, storage, security } = config;
  const connect = originsOf(connectUrls(config));
  const frames = originsOf([
    ...listPageItems(config.navigation).flatMap(({ url, settings }) => [url, settings]),
    backend?.adminUrl,
    backend?.login?.panelUrl,
    storage?.filesUrl,
    ...security.frameOrigins,
  ]);
  const local = localSources(page);
  const frameSources = security.strictFrames
    ? frames
    : ["https:", ...frames.filter((origin) => origin.startsWith("http:"))];
  const rules: Record<string, string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", ...inline.scripts.map(hashForPolicy)],
    "style-src": ["'self'", ...inline.styles.map(hashForPolicy)],
    "img-src": ["'self'", "data:", "https:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'", ...connect, ...local],
    "frame-src": ["'self'", ...frameSources, ...local],
    "worker-src": ["'self'"],
    "manifest-src": ["'self'"],
    "form-action": ["'none'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
    ...(!isMeta && { "frame-ancestors": ["'none'"] }),
  };
  return Object.entries(rules)
    .map(([name, values]) => `${name} ${values.join(" ")}`)
    .join("; ");
}

/** Returns all items of a navigation, including the items of groups. */
export function listPageItems(entries: PageEntry[]): PageItem[] {
  return entries.flatMap((entry) => (isGroup(entry) ? listPageItems(entry.items) : [entry]));
}

/** Returns the sorted, unique origins of URLs. Omits an origin whose host could end a directive of the policy. */
export function originsOf(urls: (string | undefined)[]): string[] {
  const origins = urls.flatMap((url) => {
    if (url === undefined || !URL.canParse(url)) return [];
    const { origin } = new URL(url);
    return /^https?:\/\/(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?$/.test(origin) ? [origin] : [];
  });
  return [...new Set(origins)].toSorted();
}

/** The headers of a page, without its content security policy. */
export const pageHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "strict-origin-when-cross-origin",
} as const;

import type { KeyPath } from "../findings.ts";
import { isUnsafe } from "../validate.ts";
import { isOpenHttp, listAt, listItems, parseUrl, type RuleContext, textAt } from "./context.ts";

/** Checks the URLs and paths of a configuration: their scheme, host, credentials and leading slash. */
export function checkUrls(context: RuleContext): void {
  const { rawConfig, report } = context;
  for (const { path, item } of listItems(rawConfig)) {
    const isTrusted = item.safeForAuthToken === true || item.shareUser === true;
    for (const key of ["url", "settings"]) checkLink(textAt(item, key), [...path, key], isTrusted);
    checkPathLike(textAt(item, "icon"), [...path, "icon"]);
  }
  for (const [index, entry] of listAt(rawConfig, "administration", "navigation").entries()) {
    const path = ["administration", "navigation", index];
    checkLink(textAt(entry, "url"), [...path, "url"]);
    checkPathLike(textAt(entry, "icon"), [...path, "icon"]);
  }
  for (const path of assetPaths(rawConfig)) checkPathLike(textAt(rawConfig, ...path), path);

  for (const path of serviceUrls) {
    const text = textAt(rawConfig, ...path);
    const url = parseUrl(text);
    if (text === undefined || url === undefined) continue;
    if (hasInvalidHost(url)) report("unsafe-url", path, invalidHost);
    if (path[0] !== "errorReporting" && (url.username !== "" || url.password !== "")) {
      report("unsafe-url", path, "It must not contain a user name or password.");
    }
    if (isOpenHttp(url)) report("http-url", path, `${url.origin} uses plain http.`, { level: "warning" });
    if (path[0] !== "errorReporting" && text.endsWith("/")) {
      report("trailing-slash", path, "The trailing slash is ignored.", { level: "warning" });
    }
  }

  for (const key of ["frameOrigins", "connectOrigins"]) {
    for (const [index, origin] of listAt(rawConfig, "security", key).entries()) {
      const url = typeof origin === "string" ? parseUrl(origin) : undefined;
      if (url === undefined || hasInvalidHost(url)) report("unsafe-url", ["security", key, index], invalidHost);
    }
  }

  function checkLink(text: string | undefined, path: KeyPath, isTrusted = false): void {
    if (text === undefined || text === "") return;
    const reason = unsafeReason(text);
    if (reason !== undefined) {
      report("unsafe-url", path, reason);
      return;
    }
    const url = parseUrl(text);
    // checkTrust reports plain http of a trusted item as an error.
    if (url === undefined || !isOpenHttp(url) || isTrusted) return;
    const sentence = `${url.origin} uses plain http; browsers block it in a page served over https.`;
    report("http-url", path, sentence, { level: "warning" });
  }
  function checkPathLike(text: string | undefined, path: KeyPath): void {
    if (text === undefined) return;
    const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(text.trim());
    if (!isUnsafe(text) && !hasControl(text) && !(hasScheme && unsafeReason(text) !== undefined)) return;
    report("unsafe-url", path, "It must be a path, such as /icons/home.svg, or an http or https URL.");
  }
}

const serviceUrls: readonly KeyPath[] = [
  ["backend", "url"],
  ["backend", "adminUrl"],
  ["backend", "loginUrl"],
  ["storage", "url"],
  ["storage", "filesUrl"],
  ["errorReporting", "dsn"],
];

/** Returns the paths of image and font settings, without the icons of items. */
export function assetPaths(rawConfig: unknown): KeyPath[] {
  const logo =
    textAt(rawConfig, "logo") === undefined
      ? [
          ["logo", "light"],
          ["logo", "dark"],
        ]
      : [["logo"]];
  const fonts = listAt(rawConfig, "themes").flatMap((theme, index) => {
    return listAt(theme, "fonts", "files").map((_file, fileIndex) => ["themes", index, "fonts", "files", fileIndex]);
  });
  return [["favicon"], ["appIcon"], ...logo, ...fonts];
}

function unsafeReason(text: string): string | undefined {
  if (hasControl(text) || text !== text.trim()) return "It must not contain control characters, or spaces at its ends.";
  if (text.startsWith("/")) {
    return /^\/[/\\]/.test(text) ? "It must begin with exactly one /. Two slashes name another host." : undefined;
  }
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return "It must be an absolute http or https URL, or a path that begins with one /.";
  }
  if (hasInvalidHost(url)) return invalidHost;
  return url.username !== "" || url.password !== "" ? "It must not contain a user name or password." : undefined;
}

const invalidHost = "Its host must be letters, digits, dots and hyphens.";

/** Returns whether a host contains characters that URLs allow but that could end a directive of the page's policy. */
function hasInvalidHost({ hostname }: URL): boolean {
  return !/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(hostname);
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

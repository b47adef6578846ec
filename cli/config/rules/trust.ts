import {
  isBuiltInView,
  isOpenHttp,
  listItems,
  parseUrl,
  type RawItem,
  type RawObject,
  type RuleContext,
  textAt,
  trimSlashes,
} from "./context.ts";

type Level = "none" | "user" | "token";

/** Checks what embedded applications receive from the shell and what they could access. */
export function checkTrust(context: RuleContext): void {
  const { rawConfig, report } = context;
  const items = listItems(rawConfig);
  const levels = new Map<string, Level>();
  for (const { path, item } of items) {
    const url = parseUrl(textAt(item, "url"));
    if (url === undefined || item.openIn === "external") continue;
    const level = levelOf(item);
    if (level !== "none" && isOpenHttp(url)) {
      const key = level === "token" ? "safeForAuthToken" : "shareUser";
      const sharedData = level === "token" ? "the access token" : "user data";
      report(
        "insecure-trust",
        [...path, key],
        `${url.origin} uses plain http: ${sharedData} would be sent unencrypted.`,
      );
    }
    const firstLevel = levels.get(url.origin);
    if (firstLevel === undefined) levels.set(url.origin, level);
    else if (firstLevel !== level) {
      const sentence = `Another item on ${url.origin} has the trust "${firstLevel}", this one "${level}"; pages of one origin can reach each other.`;
      report("shared-origin-trust", [...path, "url"], sentence, { level: "warning" });
    }
  }
  for (const entry of items) checkShellOrigin(context, entry, items);
}

function levelOf(item: RawObject): Level {
  if (item.safeForAuthToken === true) return "token";
  return item.shareUser === true ? "user" : "none";
}

/**
 * Checks items on the shell's origin, except built-in views, which are never framed. Warns about an application in `static/`,
 * about a page that would frame the shell in itself, and about a missing file.
 */
function checkShellOrigin({ rawConfig, report, staticFiles }: RuleContext, { path, item }: RawItem, items: RawItem[]) {
  const text = textAt(item, "url");
  if (text === undefined || item.openIn === "external") return;
  const localPath = pathOnShellOrigin(text, rawConfig);
  if (localPath === undefined || isBuiltInView(localPath)) return;
  const keyPath = [...path, "url"];
  const name = trimSlashes(localPath.replace(/[?#].*$/, ""));
  if (staticFiles.has(name) || staticFiles.has(name === "" ? "index.html" : `${name}/index.html`)) {
    const sentence =
      "An application on the shell's own origin can read what the shell stores; give it an origin of its own.";
    report("same-origin-app", keyPath, sentence, { level: "warning" });
    return;
  }
  const isPage =
    name === "" || items.some((otherItem) => isAtOrBelow(name, trimSlashes(textAt(otherItem.item, "path") ?? "")));
  if (isPage) {
    report("self-embed", keyPath, "This is a page of the shell itself; the welcome view is shown.", {
      level: "warning",
    });
    return;
  }
  report("missing-static-file", keyPath, `The file static/${name} does not exist.`, { level: "warning" });
}

function isAtOrBelow(name: string, path: string): boolean {
  return path !== "" && (name === path || name.startsWith(`${path}/`));
}

/**
 * Returns the path, query and fragment of a URL on the shell's origin, else undefined. A URL is on that origin if it is a
 * path, or names the development server or the origin of `backend.loginUrl`.
 */
function pathOnShellOrigin(text: string, rawConfig: unknown): string | undefined {
  if (/^\/(?![/\\])/.test(text)) return text;
  const url = parseUrl(text);
  if (url === undefined) return undefined;
  const port = typeof rawConfig === "object" && rawConfig !== null ? Reflect.get(rawConfig, "port") : undefined;
  const publicOrigin = parseUrl(textAt(rawConfig, "backend", "loginUrl"))?.origin;
  const isDevelopment = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])$/.test(`${url.protocol}//${url.hostname}`);
  const isShellOrigin = url.origin === publicOrigin || (isDevelopment && url.port === String(port ?? 3000));
  return isShellOrigin ? `${url.pathname}${url.search}${url.hash}` : undefined;
}

import { pageHeaders } from "../page/policy.ts";

type Rule = [path: string, lines: string[]];

/** What Cloudflare reads of the file: so many rules, and of each line so many characters. It leaves out the rest without an error. */
export const MAX_RULES = 100;
const MAX_LINE = 2_000;

const assetsRule = "Cache-Control: public, max-age=31536000, immutable";
const noCache = "Cache-Control: no-cache";
const shared = Object.entries(pageHeaders).map(([name, value]) => `${name}: ${value}`);

/**
 * `_headers`, as static hosts read it. The policy is for the shell's own pages, never for `ownPages`, the pages of `static/`: so an
 * application among them keeps working in its frame. The rules are within what hosts read, but for hundreds of own pages.
 */
export function renderHeaders(policy: string, paths: readonly string[], ownPages: readonly string[]): string {
  const policyLine = policyLineOf(policy);
  const named = nameShellPages(policyLine, paths, ownPages.length > 0);
  const rules = named.length > MAX_RULES ? nameOwnPages(policyLine, paths, ownPages) : named;
  // A path has one rule: of a second one hosts make what they like.
  const byPath = new Map<string, string[]>();
  for (const [path, lines] of rules) byPath.set(path, [...(byPath.get(path) ?? []), ...lines]);
  return [...byPath].map(([path, lines]) => [path, ...lines.map((line) => `  ${line}`)].join("\n")).join("\n");
}

/** How many rules a file of headers has. */
export const countRules = (headers: string): number =>
  headers.split("\n").filter((line) => line.startsWith("/")).length;

/** Where the policy is longer than a line, its long lists are left to the page, which says the whole of it and is obeyed too. */
function policyLineOf(policy: string): string {
  const line = `Content-Security-Policy: ${policy}`;
  return line.length <= MAX_LINE ? line : line.replace(/\b(connect-src|frame-src) [^;]*/g, "$1 *");
}

const addressesOf = (path: string): string[] => [`/${path}`, `/${path}/`, `/${path}/index.html`];

/** Three rules a page, which every host understands. */
function nameShellPages(policyLine: string, paths: readonly string[], hasOwnPages: boolean): Rule[] {
  const pages = ["/", "/index.html", "/404.html", ...paths.flatMap(addressesOf)];
  return [
    ["/*", hasOwnPages ? shared : [policyLine, ...shared]],
    ["/assets/*", [assetsRule]],
    ...["/sw.js", "/manifest.webmanifest", "/offline.html"].map((path): Rule => [path, [noCache]]),
    ...pages.map((path): Rule => [path, hasOwnPages ? [noCache, policyLine] : [noCache]]),
  ];
}

/** The other way round, for many pages: everything is a page of the shell, but for what takes that back by a line with `!`. */
function nameOwnPages(policyLine: string, paths: readonly string[], ownPages: readonly string[]): Rule[] {
  const tops = [...new Set(ownPages.map((path) => path.replace(/\/.*/s, "")))];
  const places = tops.flatMap((top) =>
    ownPages.includes(top) ? [`/${top}`, `/${top.replace(/\.html?$/i, "")}`] : [`/${top}`, `/${top}/*`],
  );
  const among = paths.filter((path) => tops.includes(path.replace(/\/.*/s, "")));
  return [
    ["/*", [policyLine, ...shared, noCache]],
    ["/assets/*", ["! Cache-Control", assetsRule]],
    ...places.map((path): Rule => [path, ["! Content-Security-Policy"]]),
    ...among.flatMap(addressesOf).map((path): Rule => [path, [policyLine]]),
  ];
}

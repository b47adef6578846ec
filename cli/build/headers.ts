import { pageHeaders } from "../page/policy.ts";

type Rule = [path: string, lines: string[]];

/** Cloudflare's limits: rules per file, and characters per line. Cloudflare ignores the excess without an error. */
export const MAX_RULES = 100;
const MAX_LINE = 2_000;

const assetsRule = "Cache-Control: public, max-age=31536000, immutable";
const noCache = "Cache-Control: no-cache";
const shared = Object.entries(pageHeaders).map(([name, value]) => `${name}: ${value}`);

/**
 * Returns the text of `_headers` for static hosts. The shell's pages get the content security policy. The pages of `static/`
 * (`staticPages`) do not, because the policy could break an application that runs in a frame. If there are pages in `static/`,
 * each shell page has rules that set the policy. If these rules exceed the rule limit of hosts, one rule sets the policy on
 * every path instead, and further rules remove it from the static pages.
 */
export function renderHeaders(policy: string, paths: readonly string[], staticPages: readonly string[]): string {
  const policyLine = policyLineOf(policy);
  const shellPageRules = includeShellPages(policyLine, paths, staticPages.length > 0);
  const rules = shellPageRules.length > MAX_RULES ? excludeStaticPages(policyLine, paths, staticPages) : shellPageRules;
  // One rule per path, because hosts differ in how they handle a second rule for the same path.
  const byPath = new Map<string, string[]>();
  for (const [path, lines] of rules) byPath.set(path, [...(byPath.get(path) ?? []), ...lines]);
  return [...byPath].map(([path, lines]) => [path, ...lines.map((line) => `  ${line}`)].join("\n")).join("\n");
}

/** Returns the number of rules in a headers file. */
export const countRules = (headers: string): number =>
  headers.split("\n").filter((line) => line.startsWith("/")).length;

/**
 * Returns the policy header. If it exceeds the line limit, the lists of connect-src and frame-src become `*`. The
 * `<meta>` policy of the page still has the full lists.
 */
function policyLineOf(policy: string): string {
  const line = `Content-Security-Policy: ${policy}`;
  return line.length <= MAX_LINE ? line : line.replace(/\b(connect-src|frame-src) [^;]*/g, "$1 *");
}

const addressesOf = (path: string): string[] => [`/${path}`, `/${path}/`, `/${path}/index.html`];

/** Returns rules that set the policy on each page of the shell: three rules per path, which every host supports. */
function includeShellPages(policyLine: string, paths: readonly string[], hasStaticPages: boolean): Rule[] {
  const pages = ["/", "/index.html", "/404.html", ...paths.flatMap(addressesOf)];
  return [
    ["/*", hasStaticPages ? shared : [policyLine, ...shared]],
    ["/assets/*", [assetsRule]],
    ...["/sw.js", "/manifest.webmanifest", "/offline.html"].map((path): Rule => [path, [noCache]]),
    ...pages.map((path): Rule => [path, hasStaticPages ? [noCache, policyLine] : [noCache]]),
  ];
}

/**
 * Returns fewer rules for sites with many pages. One rule sets the policy on every path, and rules with a `!` line
 * remove it from the static pages.
 */
function excludeStaticPages(policyLine: string, paths: readonly string[], staticPages: readonly string[]): Rule[] {
  const topNames = [...new Set(staticPages.map((path) => path.replace(/\/.*/s, "")))];
  const staticPaths = topNames.flatMap((top) =>
    staticPages.includes(top) ? [`/${top}`, `/${top.replace(/\.html?$/i, "")}`] : [`/${top}`, `/${top}/*`],
  );
  const pagesInStaticFolders = paths.filter((path) => topNames.includes(path.replace(/\/.*/s, "")));
  return [
    ["/*", [policyLine, ...shared, noCache]],
    ["/assets/*", ["! Cache-Control", assetsRule]],
    ...staticPaths.map((path): Rule => [path, ["! Content-Security-Policy"]]),
    ...pagesInStaticFolders.flatMap(addressesOf).map((path): Rule => [path, [policyLine]]),
  ];
}

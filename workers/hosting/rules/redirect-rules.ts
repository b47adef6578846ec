import type { RedirectRule } from "../../../schemas/hosting/manifest";
import { compilePattern, isDynamic, matchPattern, normalizePath, type Pattern } from "./pattern";
import { pathProblems } from "./pattern-problems";
import { collectWarnings, type RuleWarning } from "./warnings";

/** Limits of `_redirects`: rules before the first one with a placeholder or splat, rules from there on, and characters of a line. */
const MAX_STATIC_REDIRECTS = 2000;
const MAX_DYNAMIC_REDIRECTS = 100;
const MAX_REDIRECT_LINE = 1000;

const statuses = [200, 301, 302, 303, 307, 308] as const;

/** Parses `_redirects`. Returns its rules in order, and a warning for each line that was ignored. */
export function parseRedirects(text: string): { rules: RedirectRule[]; warnings: RuleWarning[] } {
  const warnings = collectWarnings("_redirects");
  const rules: RedirectRule[] = [];
  const sources = new Set<string>();
  let dynamicCount = 0;
  for (const [index, raw] of text.split(/\r\n|\n|\r/u).entries()) {
    const [line, content] = [index + 1, raw.trim()];
    if (content === "" || content.startsWith("#")) continue;
    const rule = parseRule(content);
    if (typeof rule === "string") {
      warnings.add(line, content, rule);
      continue;
    }
    if (sources.has(rule.from)) {
      warnings.add(line, content, "An earlier rule has the same source.");
      continue;
    }
    // As at Cloudflare, a static rule after the first dynamic one counts as dynamic, because its place matters.
    const isLate = dynamicCount > 0 || isDynamic(rule.from);
    if (isLate && dynamicCount === MAX_DYNAMIC_REDIRECTS) {
      warnings.add(
        line,
        content,
        `The file has more than ${MAX_DYNAMIC_REDIRECTS} dynamic rules. The rest was ignored.`,
      );
      break;
    }
    if (!isLate && rules.length === MAX_STATIC_REDIRECTS) {
      warnings.add(line, content, `The file has more than ${MAX_STATIC_REDIRECTS} static rules.`);
      continue;
    }
    if (isLate) dynamicCount += 1;
    sources.add(rule.from);
    rules.push(rule);
  }
  return { rules, warnings: warnings.list };
}

/** Returns the rule of a line, or why it is ignored. */
function parseRule(content: string): RedirectRule | string {
  if (content.length > MAX_REDIRECT_LINE) return `The line has more than ${MAX_REDIRECT_LINE} characters.`;
  const parts = content.split(/\s+/u);
  const [source = "", target = "", code = "302"] = parts;
  if (parts.length !== 2 && parts.length !== 3) return "A rule is a source, a target and optionally a status.";
  const status = statuses.find((allowed) => String(allowed) === code);
  if (status === undefined) return `The status has to be one of ${statuses.join(", ")}.`;
  const from = normalizePath(source);
  if (from === null) return "The source has to be a path that begins with a slash, without a query.";
  const pattern = compilePattern(from);
  if (typeof pattern === "string") return pathProblems[pattern];
  const to = readTarget(target);
  if (to === null)
    return "The target has to be a path that begins with a slash, or an https URL without placeholders in its host.";
  if (status === 200 && !to.startsWith("/")) return "The status 200 needs a path as its target.";
  const rule: RedirectRule = { from, to, status };
  if (!isLoop(pattern, rule)) return rule;
  return status === 200
    ? "The rule would hide every file. A deployment with `not_found` `spa` serves `index.html` for paths without a file."
    : "The rule would redirect to a path that it matches again.";
}

function readTarget(target: string): string | null {
  if (target.startsWith("/") && !/^\/[/\\]/u.test(target)) {
    const url = URL.parse(target, "https://host");
    return url === null ? null : `${url.pathname}${url.search}${url.hash}`;
  }
  const authority = /^https:\/\/([^/?#\\]+)/iu.exec(target)?.[1];
  if (authority === undefined || isDynamic(authority.replace(/:\d+$/u, "")) || authority.includes("@")) return null;
  return URL.parse(target)?.href ?? null;
}

/**
 * Returns whether a redirect leads to a path that it matches again. A rewrite of every path to the first page would hide all files, so
 * it counts as a loop as well, as at Cloudflare.
 */
function isLoop(pattern: Pattern, { from, to, status }: RedirectRule): boolean {
  const [pathname = ""] = to.split(/[?#]/u, 1);
  if (status === 200) return from === "/*" && /^\/(?:index(?:\.html)?)?$/u.test(pathname);
  return to.startsWith("/") && matchPattern(pattern, { hostname: "", pathname }) !== null;
}

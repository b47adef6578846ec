import type { HeaderRule, Manifest, RedirectRule } from "../../../schemas/hosting/manifest";
import { type Captures, compilePattern, fillPlaceholders, isDynamic, matchPattern, type Pattern } from "./pattern";

type Compiled<Rule> = { pattern: Pattern; rule: Rule };

/** The rules of a deployment, ready to match requests. */
export type CompiledRules = {
  headers: readonly Compiled<HeaderRule>[];
  /** redirects from exact paths that precede all others, by their path */
  exact: ReadonlyMap<string, RedirectRule>;
  /** the further redirects in order */
  redirects: readonly Compiled<RedirectRule>[];
};

/** What a rule of `_redirects` responds: a redirect to a URL or path, or the file at another path (200). */
export type Redirect = { status: RedirectRule["status"]; location: string };

/** A longer location is not sent, because clients reject it. A longer path names nothing, because every rule reads the whole path. */
export const MAX_URL = 8192;
/**
 * Maximum length of all fixed values that rules add to a response, and of all values with placeholders. Cloudflare rejects responses
 * with 128 KB of headers.
 */
const MAX_VALUES = 32_768;

/** Compiles the rules of a manifest. */
export function compileRules({ headers, redirects }: Pick<Manifest, "headers" | "redirects">): CompiledRules {
  const firstDynamic = redirects.findIndex(({ from }) => isDynamic(from));
  const exactCount = firstDynamic < 0 ? redirects.length : firstDynamic;
  return {
    headers: compileAll(headers, ({ path }) => path),
    exact: new Map(redirects.slice(0, exactCount).map((rule) => [rule.from, rule])),
    redirects: compileAll(redirects.slice(exactCount), ({ from }) => from),
  };
}

function compileAll<Rule>(rules: readonly Rule[], patternOf: (rule: Rule) => string): Compiled<Rule>[] {
  return rules.flatMap((rule) => {
    const pattern = compilePattern(patternOf(rule));
    return typeof pattern === "string" ? [] : [{ pattern, rule }];
  });
}

/** Returns what the first matching rule of `_redirects` responds, or null. A target without a query keeps the query of the request. */
export function findRedirect({ exact, redirects }: CompiledRules, url: URL): Redirect | null {
  const exactRule = exact.get(url.pathname);
  if (exactRule !== undefined) return fillTarget(exactRule, new Map(), url);
  for (const { pattern, rule } of redirects) {
    const captures = matchPattern(pattern, url);
    if (captures !== null) return fillTarget(rule, captures, url);
  }
  return null;
}

function fillTarget({ to, status }: RedirectRule, captures: Captures, { search }: URL): Redirect | null {
  const [, base = "", query = "", hash = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/u.exec(to) ?? [];
  const filled = fillPlaceholders(base, captures);
  // A captured value that begins with a slash must not turn a path into a URL of another host.
  const path = base.startsWith("/") ? filled.replace(/^[/\\]+/u, "/") : filled;
  if (status === 200) return { status, location: path };
  const location = path + (fillPlaceholders(query, captures) || search) + fillPlaceholders(hash, captures);
  return location.length > MAX_URL ? null : { status, location };
}

/**
 * Applies every matching rule of `_headers` in order. The first value of a header replaces the default one, further values are
 * joined with a comma.
 */
export function applyHeaderRules({ headers: rules }: CompiledRules, url: URL, headers: Headers): void {
  const set = new Set<string>();
  // A long path must not displace the fixed values, such as a Content-Security-Policy.
  const lengths = { fixed: 0, filled: 0 };
  for (const { pattern, rule } of rules) {
    const captures = matchPattern(pattern, url);
    if (captures === null) continue;
    for (const name of rule.remove) headers.delete(name);
    for (const [name, text] of rule.set) {
      const value = fillPlaceholders(text, captures);
      const kind = value === text ? "fixed" : "filled";
      lengths[kind] += value.length;
      if (lengths[kind] > MAX_VALUES) continue;
      if (set.has(name)) headers.append(name, value);
      else headers.set(name, value);
      set.add(name);
    }
  }
}

import type { HeaderRule } from "../../../schemas/hosting/manifest";
import { compilePattern, normalizePath } from "./pattern";
import { pathProblems } from "./pattern-problems";
import { collectWarnings, type RuleWarning, type Warnings } from "./warnings";

/** Maximum number of rules of `_headers`, and of characters of one of its lines. */
const MAX_HEADER_RULES = 100;
const MAX_HEADER_LINE = 2000;

/**
 * Headers that a rule cannot set or remove. They belong to the connection or to the transferred bytes, they are how the platform
 * revalidates files, or they reach beyond the host of the app: cookies and `Clear-Site-Data` affect the other hosts of the domain,
 * `Alt-Svc` moves the host to another server, `X-Frame-Options` has no effect beside the platform's frame-ancestors.
 */
const reserved = new Set(
  (
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade " +
    "content-length content-encoding content-range accept-ranges date age etag last-modified location status " +
    "set-cookie set-cookie2 clear-site-data alt-svc x-frame-options x-request-id"
  ).split(" "),
);

const isReserved = (name: string): boolean => reserved.has(name) || name.startsWith("cf-");

const nameToken = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/u;
const visibleText = /^[\t\x20-\x7e]+$/u;

/** Parses `_headers`. Returns its rules in order, and a warning for each line that was ignored. */
export function parseHeaders(text: string): { rules: HeaderRule[]; warnings: RuleWarning[] } {
  const warnings = collectWarnings("_headers");
  const rules: HeaderRule[] = [];
  /** the rule of the following lines; null when its own line was ignored */
  let current: { rule: HeaderRule; line: number } | null = null;
  let hasPattern = false;
  const finish = () => {
    if (current === null) return;
    const { rule, line } = current;
    if (rule.set.length + rule.remove.length > 0) rules.push(rule);
    else warnings.add(line, rule.path, "The rule has no headers.");
  };
  for (const [index, raw] of text.split(/\r\n|\n|\r/u).entries()) {
    const [line, content] = [index + 1, raw.trim()];
    if (content === "" || content.startsWith("#")) continue;
    if (content.length > MAX_HEADER_LINE) {
      warnings.add(line, content, `The line has more than ${MAX_HEADER_LINE} characters.`);
      continue;
    }
    if (/^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/iu.test(content)) {
      finish();
      current = null;
      hasPattern = true;
      if (rules.length === MAX_HEADER_RULES) {
        warnings.add(line, content, `The file has more than ${MAX_HEADER_RULES} rules. The rest was ignored.`);
        return { rules, warnings: warnings.list };
      }
      const pattern = readPattern(content);
      if ("path" in pattern) current = { rule: { path: pattern.path, set: [], remove: [] }, line };
      else warnings.add(line, content, pattern.problem);
      continue;
    }
    if (!hasPattern) warnings.add(line, content, "A path has to precede the headers.");
    else if (current !== null) addHeader(current.rule, line, content, warnings);
  }
  finish();
  return { rules, warnings: warnings.list };
}

/** Returns the normalized pattern of a rule, or why it is ignored. */
function readPattern(text: string): { path: string } | { problem: string } {
  if (/\s/u.test(text)) return { problem: "A path cannot contain spaces." };
  if (!text.startsWith("/") && !text.startsWith("https://")) return { problem: "A URL has to begin with https://." };
  const [, origin = "", rest = ""] = /^(https:\/\/[^/]*)?(.*)$/u.exec(text) ?? [];
  const path = normalizePath(rest === "" ? "/" : rest);
  if (path === null || origin === "https://")
    return { problem: "A path has to begin with one slash and cannot have a query." };
  const compiled = compilePattern(origin + path);
  return typeof compiled === "string" ? { problem: pathProblems[compiled] } : { path: origin + path };
}

/** Adds `Name: value` or `! Name` to a rule, or a warning. */
function addHeader(rule: HeaderRule, line: number, content: string, warnings: Warnings): void {
  const isRemoval = content.startsWith("!");
  const colon = content.indexOf(":");
  if (!isRemoval && colon < 0) {
    warnings.add(line, content, "A header has to be written as `Name: value`.");
    return;
  }
  const name = (isRemoval ? content.slice(1) : content.slice(0, colon)).trim().toLowerCase();
  const value = isRemoval ? "" : content.slice(colon + 1).trim();
  if (!nameToken.test(name)) warnings.add(line, content, "The name of the header is empty or invalid.");
  else if (isReserved(name)) warnings.add(line, content, `The platform does not let rules change \`${name}\`.`);
  else if (isRemoval) rule.remove.push(name);
  else if (value === "") warnings.add(line, content, "The header has no value.");
  else if (!visibleText.test(value)) warnings.add(line, content, "The value contains characters other than ASCII.");
  else rule.set.push([name, value]);
}

/** Values of the placeholders of a pattern by their name. The value of `*` is `splat`. */
export type Captures = ReadonlyMap<string, string>;

/** A part of a segment: literal text, or the name of a placeholder, which matches one or more characters. */
type Token = { literal: string } | { name: string };
type Segment = readonly Token[];

/** The segments of a pattern before and after its splat. `after` is null without a splat. */
type Part = { separator: string; before: readonly Segment[]; after: readonly Segment[] | null };

/** A compiled pattern of a URL. `host` is null for a pattern that matches every host. */
export type Pattern = { host: Part | null; path: Part };

/** Why a pattern cannot be compiled. */
export type PatternProblem = "splats" | "placeholders" | "port";

const placeholder = /:([a-z]\w*)/giu;
const absolute = /^https:\/\/([^/]+)(\/.*)?$/u;

/** Returns the names of the placeholders of a text in order. */
const namesOf = (text: string): string[] => [...text.matchAll(placeholder)].map(([, name = ""]) => name);

/** Returns whether a pattern has a splat or a placeholder. */
export const isDynamic = (pattern: string): boolean => pattern.includes("*") || namesOf(pattern).length > 0;

/**
 * Returns the path of a pattern as browsers send it, that is, with percent-encoded spaces and letters beyond ASCII and without a
 * fragment. Returns null for a text that is not an absolute path, or that has a query.
 */
export function normalizePath(text: string): string | null {
  const [path = ""] = text.split("#", 1);
  if (!path.startsWith("/") || /^\/[/\\]/u.test(path) || path.includes("?")) return null;
  return URL.parse(path, "https://host")?.pathname ?? null;
}

/**
 * Compiles a pattern: a path or an https URL, with placeholders `:name` and at most one splat `*`. Returns what is wrong with it:
 * several splats, a repeated placeholder, or a port.
 */
export function compilePattern(text: string): Pattern | PatternProblem {
  const [, host, path] = absolute.exec(text) ?? [null, null, text];
  if (text.split("*").length > 2) return "splats";
  if (host != null && /:\d+$/u.test(host)) return "port";
  const names = [...namesOf(text), ...(text.includes("*") ? ["splat"] : [])];
  if (new Set(names).size < names.length) return "placeholders";
  return { host: host == null ? null : compilePart(host.toLowerCase(), "."), path: compilePart(path ?? "/", "/") };
}

function compilePart(text: string, separator: string): Part {
  const [before = "", after] = text.split("*");
  const segmentsOf = (part: string) => part.split(separator).map(tokensOf);
  return { separator, before: segmentsOf(before), after: after === undefined ? null : segmentsOf(after) };
}

function tokensOf(segment: string): Segment {
  // With a capturing group, `split` returns literals at even and names at odd indexes.
  return segment.split(placeholder).flatMap((part, index): Token[] => {
    if (index % 2 === 1) return [{ name: part }];
    return part === "" ? [] : [{ literal: part }];
  });
}

/**
 * Returns the values of the placeholders if a host and an encoded path match, else null. Values are as long as possible, the first
 * one first. The time is linear in the length of the path: nothing is tried twice, unlike with a regular expression.
 */
export function matchPattern({ host, path }: Pattern, url: { hostname: string; pathname: string }): Captures | null {
  const captures = new Map<string, string>();
  if (host !== null && !matchPart(host, url.hostname, captures)) return null;
  return matchPart(path, url.pathname, captures) ? captures : null;
}

function matchPart({ separator, before, after }: Part, text: string, captures: Map<string, string>): boolean {
  const segments = text.split(separator);
  const isWhole = (pattern: readonly Segment[], parts: string[]) =>
    pattern.every((tokens, index) => matchTokens(tokens, parts[index] ?? "", wholeSegment, captures) !== null);
  if (after === null) return segments.length === before.length && isWhole(before, segments);
  // A segment cannot contain the separator, so the segments around the splat are the first and the last ones of the text.
  const [left, right] = [before.length - 1, segments.length - after.length];
  if (left > right) return false;
  const first = segments[left] ?? "";
  const last = segments[right] ?? "";
  const suffix = matchTokens(after[0] ?? [], last, { start: false, end: true }, captures);
  if (suffix === null) return false;
  const room = left === right ? first.slice(0, suffix.start) : first;
  const prefix = matchTokens(before[left] ?? [], room, { start: true, end: false }, captures);
  if (prefix === null) return false;
  const splat =
    left === right
      ? room.slice(prefix.end)
      : [first.slice(prefix.end), ...segments.slice(left + 1, right), last.slice(0, suffix.start)].join(separator);
  captures.set("splat", splat);
  return isWhole(before.slice(0, -1), segments) && isWhole(after.slice(1), segments.slice(right + 1));
}

/** Whether a match has to begin at the start and to end at the end of its text. */
type Anchors = { start: boolean; end: boolean };
const wholeSegment: Anchors = { start: true, end: true };

/**
 * Matches the tokens from the last to the first, each literal at its last possible place, so that earlier placeholders get the longest
 * values. Returns where the match starts and ends, or null.
 */
function matchTokens(
  tokens: Segment,
  text: string,
  anchors: Anchors,
  captures: Map<string, string>,
): { start: number; end: number } | null {
  if (tokens.length === 0) {
    if (anchors.start && anchors.end) return text === "" ? { start: 0, end: 0 } : null;
    const at = anchors.start ? 0 : text.length;
    return { start: at, end: at };
  }
  let position = text.length;
  let matchEnd = text.length;
  let open: string | null = null;
  for (const [index, token] of [...tokens.entries()].toReversed()) {
    const isFirst = index === 0 && anchors.start;
    if ("name" in token) {
      // A placeholder followed directly by another leaves it one character.
      if (open !== null) {
        if (position < 1) return null;
        position -= 1;
        captures.set(open, text.slice(position, position + 1));
      }
      open = token.name;
      continue;
    }
    const isAtEnd = index === tokens.length - 1;
    const latest = position - token.literal.length - (open === null ? 0 : 1);
    if (latest < 0) return null;
    const isFixed = open === null && !(isAtEnd && !anchors.end);
    const at = isFirst ? 0 : isFixed ? latest : text.lastIndexOf(token.literal, latest);
    const isHere = at >= 0 && text.startsWith(token.literal, at) && !(isFirst && isFixed && latest !== 0);
    if (!isHere) return null;
    const end = at + token.literal.length;
    if (isAtEnd) matchEnd = end;
    if (open !== null) captures.set(open, text.slice(end, position));
    open = null;
    position = at;
  }
  if (open === null) return anchors.start && position !== 0 ? null : { start: position, end: matchEnd };
  if (position < 1) return null;
  const start = anchors.start ? 0 : position - 1;
  captures.set(open, text.slice(start, position));
  return { start, end: matchEnd };
}

/** Replaces each placeholder that has a value. */
export const fillPlaceholders = (text: string, captures: Captures): string =>
  text.replace(placeholder, (whole, name: string) => captures.get(name) ?? whole);

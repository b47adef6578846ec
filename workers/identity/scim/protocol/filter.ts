import {
  type Comparison,
  type Filter,
  type FilterKind,
  type FilterValue,
  operators,
} from "../../../../db/identity/conditions/scim-filter";
import { badRequest } from "./scim-problem";

/** Maximum number of characters of a filter. */
const MAX_LENGTH = 1000;
/** Maximum number of comparisons in a filter. */
const MAX_TERMS = 20;
/** Maximum number of nested parentheses. D1 rejects expressions that are nested deeper than 100. */
const MAX_DEPTH = 20;

const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;
const coreUrn = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** Returns a filter error (400 `invalidFilter`). */
export const invalidFilter = (detail: string) => badRequest("invalidFilter", detail);

/** Returns an attribute path in lower case, without the URN of the core schemas. */
export function attributeName(path: string): string {
  return path.toLowerCase().replace(coreUrn, "");
}

/**
 * Parses a filter. Names and operators may have any case. `emails[type eq "work"].value eq "x"` becomes two comparisons, of
 * `emails.type` and `emails.value`. Throws 400 `invalidFilter` for a filter that is malformed, longer than 1,000 characters or has
 * more than 20 comparisons or nested parentheses.
 */
export function parseFilter(text: string): Filter {
  if (text.length > MAX_LENGTH) throw invalidFilter(`The filter has more than ${MAX_LENGTH} characters.`);
  const parser = createParser(tokensOf(text));
  const filter = parser.disjunction("");
  parser.end();
  return filter;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const position = token.lastIndex;
    const match = token.exec(text);
    if (match === null) {
      if (text.slice(position).trim() === "") break;
      throw invalidFilter(`The filter is not valid at character ${position + 1}.`);
    }
    tokens.push(match[1] ?? match[2] ?? match[3] ?? "");
  }
  return tokens;
}

function createParser(tokens: readonly string[]) {
  let next = 0;
  let terms = 0;
  let depth = 0;
  const word = () => tokens[next]?.toLowerCase();
  const take = (): string => {
    const token = tokens[next];
    if (token === undefined) throw invalidFilter("The filter ends too early.");
    next += 1;
    return token;
  };
  const expect = (expected: string) => {
    const token = take();
    if (token !== expected)
      throw invalidFilter(`The filter has "${token.slice(0, 40)}" where "${expected}" is expected.`);
  };

  function disjunction(parent: string): Filter {
    let filter = conjunction(parent);
    while (word() === "or") {
      next += 1;
      filter = { kind: "or", left: filter, right: conjunction(parent) };
    }
    return filter;
  }

  function conjunction(parent: string): Filter {
    let filter = term(parent);
    while (word() === "and") {
      next += 1;
      filter = { kind: "and", left: filter, right: term(parent) };
    }
    return filter;
  }

  function term(parent: string): Filter {
    const isNegated = word() === "not" && tokens[next + 1] === "(";
    if (isNegated) next += 1;
    if (word() === "(") {
      next += 1;
      depth += 1;
      if (depth > MAX_DEPTH) throw invalidFilter(`The filter has more than ${MAX_DEPTH} nested parentheses.`);
      const filter = disjunction(parent);
      depth -= 1;
      expect(")");
      return isNegated ? { kind: "not", filter } : filter;
    }
    return comparison(parent);
  }

  function comparison(parent: string): Filter {
    const name = take();
    if (!/^[a-z$][\w$.:-]*$/i.test(name)) throw invalidFilter(`"${name.slice(0, 40)}" is not an attribute.`);
    const attribute = parent + attributeName(name);
    if (tokens[next] !== "[") return compared(attribute);
    if (parent !== "") throw invalidFilter("A value filter cannot contain another value filter.");
    next += 1;
    const inner = disjunction(`${attribute}.`);
    expect("]");
    const following = tokens[next] ?? "";
    if (!following.startsWith(".")) return inner;
    next += 1;
    return { kind: "and", left: inner, right: compared(attribute + following.toLowerCase()) };
  }

  function compared(attribute: string): Comparison {
    terms += 1;
    if (terms > MAX_TERMS) throw invalidFilter(`The filter has more than ${MAX_TERMS} comparisons.`);
    const name = take().toLowerCase();
    const operator = operators.find((candidate) => candidate === name);
    if (operator === undefined) throw invalidFilter(`"${name.slice(0, 40)}" is not an operator.`);
    return { kind: "compare", attribute, operator, value: operator === "pr" ? null : readValue(take()) };
  }

  return {
    disjunction,
    end() {
      if (next < tokens.length) throw invalidFilter(`The filter has an unexpected "${tokens[next]?.slice(0, 40)}".`);
    },
  };
}

function readValue(text: string): FilterValue {
  const isKeyword = /^(?:true|false|null)$/i.test(text);
  if (!isKeyword && !/^(?:"|-?\d)/.test(text))
    throw invalidFilter(`The value ${text.slice(0, 40)} needs quotation marks.`);
  try {
    return JSON.parse(isKeyword ? text.toLowerCase() : text) as FilterValue;
  } catch {
    throw invalidFilter(`The value ${text.slice(0, 40)} is not valid JSON.`);
  }
}

/** Returns whether the filter of a value path such as `emails[type eq "work"]` matches a value. `values` has lower-case paths. */
export function matches(filter: Filter, values: Readonly<Record<string, FilterValue>>): boolean {
  if (filter.kind === "not") return !matches(filter.filter, values);
  if (filter.kind !== "compare") {
    const leftMatches = matches(filter.left, values);
    return filter.kind === "and"
      ? leftMatches && matches(filter.right, values)
      : leftMatches || matches(filter.right, values);
  }
  const present = values[filter.attribute] ?? null;
  if (filter.operator === "pr") return present !== null;
  if (filter.operator === "eq") return isSame(present, filter.value);
  if (filter.operator === "ne") return !isSame(present, filter.value);
  throw invalidFilter(`The operator ${filter.operator} is not supported in a path.`);
}

const isSame = (left: FilterValue, right: FilterValue) => String(left).toLowerCase() === String(right).toLowerCase();

/** Throws 400 `invalidFilter` for an operator or a value that does not fit the kind of its attribute. */
export function requireFittingValues(filter: Filter, kinds: Readonly<Record<string, { kind: FilterKind }>>): void {
  for (const comparison of comparisonsOf(filter)) {
    const { attribute } = comparison;
    const kind = Object.hasOwn(kinds, attribute) ? kinds[attribute]?.kind : undefined;
    if (kind !== undefined && comparison.operator !== "pr") requireFitting(comparison, kind);
  }
}

function comparisonsOf(filter: Filter): Comparison[] {
  if (filter.kind === "compare") return [filter];
  if (filter.kind === "not") return comparisonsOf(filter.filter);
  return [...comparisonsOf(filter.left), ...comparisonsOf(filter.right)];
}

function requireFitting({ attribute, operator, value }: Comparison, kind: FilterKind): void {
  const isEquality = operator === "eq" || operator === "ne";
  if (kind === "member" && !isEquality) throw invalidFilter(`${attribute} can only be compared by eq or ne.`);
  if (kind === "boolean" && !(isEquality && /^(?:true|false)$/i.test(String(value))))
    throw invalidFilter(`${attribute} can only be compared with true or false, by eq or ne.`);
  if (kind !== "time") return;
  if (["co", "sw", "ew"].includes(operator)) throw invalidFilter(`${attribute} cannot be compared by ${operator}.`);
  if (typeof value !== "string" || Number.isNaN(Date.parse(value)))
    throw invalidFilter(`${attribute} needs an ISO 8601 date and time in quotation marks.`);
}

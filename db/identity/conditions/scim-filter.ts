import { type SQL, sql } from "drizzle-orm";
import { nameKeyOf } from "../groups";

export const operators = ["eq", "ne", "co", "sw", "ew", "pr", "gt", "ge", "lt", "le"] as const;
export type Operator = (typeof operators)[number];

/** The value that a comparison compares with; null for `pr`. */
export type FilterValue = string | number | boolean | null;

/** A comparison. `attribute` is a lower-case path without URN, such as `name.givenname`. */
export type Comparison = { kind: "compare"; attribute: string; operator: Operator; value: FilterValue };

/** A parsed filter: RFC 7644, 3.4.2.2. */
export type Filter = { kind: "and" | "or"; left: Filter; right: Filter } | { kind: "not"; filter: Filter } | Comparison;

/**
 * How a filter compares an attribute. `exact`: text, case-sensitive. `text`: text in any case; SQLite compares only ASCII letters in
 * any case. `lower`: text that is stored in lower case. `group`: the key of a group's name. `id`: an integer that the directory sees as text. `time`: unix ms. `member`:
 * whether a value is in a list.
 */
export type FilterKind = "exact" | "text" | "lower" | "group" | "id" | "boolean" | "time" | "member";

/** An attribute and its SQL. The column of a `member` is a function that returns whether the list contains the value. */
export type FilterAttribute =
  | { kind: Exclude<FilterKind, "member">; column: SQL }
  | { kind: "member"; contains: (value: SQL) => SQL; isPresent: SQL };

/** Adds a value to the parameters and returns it as SQL. */
type Bind = (value: string | number | null) => SQL;

/**
 * Returns the condition of a filter, and appends its values to `values`, which the statement binds as the JSON list `parameter`. An
 * attribute that is not in `attributes` has no value (RFC 7644, 3.4.2.1). Operators and values must fit the kinds of the others.
 */
export function conditionOf(
  filter: Filter,
  attributes: Readonly<Record<string, FilterAttribute>>,
  values: (string | number | null)[],
  parameter: SQL,
): SQL {
  const bind: Bind = (value) => {
    values.push(value);
    return sql`(${parameter} ->> ${sql.raw(`'$[${values.length - 1}]'`)})`;
  };
  const attributeOf = (name: string) => (Object.hasOwn(attributes, name) ? attributes[name] : undefined);
  const build = (part: Filter): SQL => {
    if (part.kind === "not") return sql`not ${build(part.filter)}`;
    if (part.kind === "compare") return sql`coalesce(${compare(part, attributeOf(part.attribute), bind)}, 0)`;
    return part.kind === "and"
      ? sql`(${conjunct(part.left)} and ${conjunct(part.right)})`
      : sql`(${build(part.left)} or ${build(part.right)})`;
  };
  // SQLite uses an index only for a bare comparison. A null comparison is as good as a false one here, but not below a `not`.
  const conjunct = (part: Filter): SQL => {
    if (part.kind === "compare") return compare(part, attributeOf(part.attribute), bind);
    return part.kind === "and" ? sql`(${conjunct(part.left)} and ${conjunct(part.right)})` : build(part);
  };
  return conjunct(filter);
}

function compare(comparison: Comparison, attribute: FilterAttribute | undefined, bind: Bind): SQL {
  const { operator, value } = comparison;
  if (attribute === undefined) return isTrueWithoutValue(operator, value) ? sql`1` : sql`0`;
  if (attribute.kind === "member") {
    if (operator === "pr") return attribute.isPresent;
    const condition = attribute.contains(bind(String(value)));
    return operator === "eq" ? condition : sql`not ${condition}`;
  }
  const { kind, column } = attribute;
  if (operator === "pr") return kind === "boolean" || kind === "time" || kind === "id" ? sql`1` : sql`${column} <> ''`;
  if (kind === "boolean") {
    const isTrue = String(value).toLowerCase() === "true";
    return isTrue === (operator === "eq") ? sql`${column}` : sql`not ${column}`;
  }
  if (kind === "time") return compareText(comparison, column, bind(Date.parse(String(value))));
  if (kind === "id" && (operator === "eq" || operator === "ne")) {
    const isId = typeof value === "string" && /^[1-9]\d{0,14}$/.test(value);
    return compareText(comparison, column, bind(isId ? Number(value) : -1));
  }
  if (value === null) return operator === "eq" ? sql`${column} is null` : sql`${column} is not null`;
  const text = String(value);
  if (kind === "group") return compareText(comparison, column, bind(nameKeyOf(text)));
  if (kind === "lower") return compareText(comparison, column, bind(text.toLowerCase()));
  if (kind === "text") return compareText(comparison, sql`lower(${column})`, sql`lower(${bind(text)})`);
  return compareText(comparison, kind === "id" ? sql`cast(${column} as text)` : column, bind(text));
}

function isTrueWithoutValue(operator: Operator, value: FilterValue): boolean {
  return value === null ? operator === "eq" : operator === "ne";
}

function compareText({ operator }: Comparison, column: SQL, value: SQL): SQL {
  switch (operator) {
    case "eq":
      return sql`${column} = ${value}`;
    case "ne":
      return sql`${column} is not ${value}`;
    case "co":
      return sql`instr(${column}, ${value}) > 0`;
    case "sw":
      return sql`substr(${column}, 1, length(${value})) = ${value}`;
    case "ew":
      return sql`(${value} = '' or substr(${column}, -length(${value})) = ${value})`;
    default:
      return sql`${column} ${sql.raw(orders[operator as keyof typeof orders])} ${value}`;
  }
}

const orders = { gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

import type { Filter } from "../../../../db/identity/conditions/scim-filter";
import { isObject, type JsonObject } from "../../../kit/json";
import { attributeName, parseFilter } from "./filter";
import { badRequest } from "./scim-problem";

/** Maximum number of operations of a PATCH. */
const MAX_OPERATIONS = 1000;

const verbs = ["add", "replace", "remove"] as const;
type Verb = (typeof verbs)[number];

/**
 * One change of an attribute. `attribute` is lower case, such as `name.givenname`. `filter` selects values of a multi-valued
 * attribute (its comparisons name `emails.type`), and `subAttribute` a part of them. A missing value is null.
 */
export type Change = {
  verb: Verb;
  attribute: string;
  filter: Filter | null;
  subAttribute: string | null;
  value: unknown;
};

const path = /^([a-z$][\w$-]*)(?:\[(.*)\])?(?:\.([a-z$][\w$-]*))?$/is;

/**
 * Returns the changes of a resource: one for each attribute. A key may be dotted, have the URN of a core schema, or be a whole path
 * with a filter. Omits null values, and attributes of other schemas.
 */
export function changesOfResource(resource: JsonObject, verb: Verb = "replace"): Change[] {
  return Object.entries(resource).flatMap(([key, value]): Change[] => {
    if (value === null) return [];
    const isCoreSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group)$/i.test(key);
    if (isCoreSchema) return isObject(value) ? changesOfResource(value, verb) : [];
    const name = attributeName(key);
    if (name.startsWith("urn:")) return [];
    if (isObject(value) && name === "name")
      return changesOfResource(value, verb).map((change) => ({ ...change, attribute: `name.${change.attribute}` }));
    const parsed = isPath(key) ? parsePath(key) : null;
    return parsed === null ? [] : [{ verb, ...parsed, value }];
  });
}

/**
 * Reads the operations of a PATCH (RFC 7644, 3.5.2) as changes, in their order. An operation without a path changes each attribute of
 * its value. Names and verbs may have any case. Omits operations on attributes of other schemas. Throws 400 `invalidSyntax`,
 * `invalidPath` or `noTarget`.
 */
export function readOperations(body: JsonObject): Change[] {
  const operations = memberOf(body, "operations");
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS)
    throw badRequest("invalidSyntax", `Operations must be a list of 1 to ${MAX_OPERATIONS} operations.`);
  return operations.flatMap((operation: unknown) => {
    if (!isObject(operation)) throw badRequest("invalidSyntax", "An operation must be an object.");
    const op = memberOf(operation, "op");
    const verb = verbs.find((candidate) => typeof op === "string" && candidate === op.toLowerCase());
    if (verb === undefined) throw badRequest("invalidSyntax", `op must be add, replace or remove.`);
    const target = memberOf(operation, "path") ?? "";
    const value = memberOf(operation, "value") ?? null;
    if (typeof target !== "string") throw badRequest("invalidPath", "path must be a string.");
    if (target.trim() === "") {
      if (verb === "remove") throw badRequest("noTarget", "An operation that removes values needs a path.");
      if (!isObject(value))
        throw badRequest("invalidSyntax", "An operation without a path needs an object as its value.");
      return changesOfResource(value, verb);
    }
    const parsed = parsePath(target);
    if (parsed === null) return [];
    if (parsed.attribute === "name" && isObject(value)) return changesOfResource({ name: value }, verb);
    return [{ verb, ...parsed, value }];
  });
}

/** Returns whether a key of a resource has the form of a path. Other keys belong to attributes that are not stored. */
const isPath = (key: string) => path.test(withoutUrn(key));

/** Returns a path without the URN of a core schema. The name is lower case, the filter is unchanged. */
function withoutUrn(text: string): string {
  const start = text.trim().search(/\[|$/);
  return attributeName(text.trim().slice(0, start)) + text.trim().slice(start);
}

/** Parses a path: RFC 7644, figure 7. Returns null for an attribute of another schema. Throws 400 `invalidPath`. */
function parsePath(text: string): Pick<Change, "attribute" | "filter" | "subAttribute"> | null {
  const shortened = withoutUrn(text);
  if (shortened.startsWith("urn:")) return null;
  const match = path.exec(shortened);
  if (match === null) throw badRequest("invalidPath", `"${text.slice(0, 100)}" is not a path.`);
  const [, attribute = "", filterText, subAttribute] = match;
  const filter = filterText === undefined ? null : parseFilter(`${attribute}[${filterText}]`);
  const lowerSub = subAttribute?.toLowerCase() ?? null;
  if (attribute === "name")
    return { attribute: lowerSub === null ? "name" : `name.${lowerSub}`, filter, subAttribute: null };
  return { attribute, filter, subAttribute: lowerSub };
}

/** Returns the member of an object whose name equals `name` in any case, or undefined. `name` is lower case. */
export function memberOf(object: JsonObject, name: string): unknown {
  const key = Object.keys(object).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : object[key];
}

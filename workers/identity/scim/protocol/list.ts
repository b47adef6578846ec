import { attributeName } from "./filter";
import { badRequest } from "./scim-problem";

const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
/** Maximum number of resources in a list. */
export const MAX_COUNT = 100;

/** The part of a list that a request names. `start` is 1 for the first resource. */
export type Part = { start: number; count: number };

/** Reads `startIndex` and `count` (RFC 7644, 3.4.2.4). Values out of range mean the nearest one in range. Throws 400. */
export function readPart(query: Record<string, string>): Part {
  const read = (name: string, fallback: number) => {
    const text = query[name];
    if (text === undefined || text === "") return fallback;
    if (!/^-?\d{1,9}$/.test(text)) throw badRequest("invalidValue", `${name} must be an integer.`);
    return Number(text);
  };
  return {
    start: Math.max(1, read("startIndex", 1)),
    count: Math.min(MAX_COUNT, Math.max(0, read("count", MAX_COUNT))),
  };
}

/** Returns a list response. */
export function presentList(total: number, { start }: Part, resources: readonly object[]) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex: start,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

// These attributes are in every response: RFC 7643, 7, "returned".
const ALWAYS = ["schemas", "id"];

/**
 * Returns a resource with the attributes that `attributes` or `excludedAttributes` select: RFC 7644, 3.9. A name may be that of a
 * sub-attribute, such as `name.givenName`.
 */
export function project(resource: object, query: Record<string, string>): Record<string, unknown> {
  const requested = namesOf(query.attributes);
  const excluded = namesOf(query.excludedAttributes);
  if (requested === null && excluded === null) return { ...resource };
  const entries = Object.entries(resource).flatMap(([key, value]): [string, unknown][] => {
    const name = key.toLowerCase();
    if (ALWAYS.includes(name)) return [[key, value]];
    if (requested !== null) {
      if (requested.includes(name)) return [[key, value]];
      const selected = selectMembers(value, (member) => requested.includes(`${name}.${member}`));
      return selected === null ? [] : [[key, selected]];
    }
    if (excluded?.includes(name)) return [];
    const isPartlyExcluded = excluded?.some((path) => path.startsWith(`${name}.`)) ?? false;
    return [
      [key, isPartlyExcluded ? selectMembers(value, (member) => !excluded?.includes(`${name}.${member}`)) : value],
    ];
  });
  return Object.fromEntries(entries);
}

/** Returns the selected members of a complex value, or of each value of a list. Returns null when nothing is selected. */
function selectMembers(value: unknown, isSelected: (member: string) => boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => selectMembers(item, isSelected)).filter((item) => item !== null);
    return items.length === 0 ? null : items;
  }
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value).filter(([key]) => isSelected(key.toLowerCase()));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

function namesOf(list: string | undefined): string[] | null {
  if (list === undefined || list.trim() === "") return null;
  return list.split(",").map((name) => attributeName(name.trim()));
}

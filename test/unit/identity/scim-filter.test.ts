import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Filter } from "../../../db/identity/conditions/scim-filter";
import {
  attributeName,
  matches,
  parseFilter,
  requireFittingValues,
} from "../../../workers/identity/scim/protocol/filter";
import { keywordOf } from "../../support/identity/scim-keyword";

/** Returns a filter as text with a bracket around each part. */
function show(filter: Filter): string {
  if (filter.kind === "not") return `not(${show(filter.filter)})`;
  if (filter.kind !== "compare") return `(${show(filter.left)} ${filter.kind} ${show(filter.right)})`;
  const { attribute, operator, value } = filter;
  return operator === "pr" ? `${attribute} pr` : `${attribute} ${operator} ${JSON.stringify(value)}`;
}

describe("parseFilter", () => {
  it.each([
    ['userName eq "mina"', 'username eq "mina"'],
    ['USERNAME EQ "Mina"', 'username eq "Mina"'],
    ["active eq true", "active eq true"],
    ["active eq True", "active eq true"],
    ["externalId eq null", "externalid eq null"],
    ["id ge -12.5", "id ge -12.5"],
    ["title pr", "title pr"],
    ['a eq "1" or b eq "2" and c eq "3"', '(a eq "1" or (b eq "2" and c eq "3"))'],
    ['a eq "1" and b eq "2" or c eq "3"', '((a eq "1" and b eq "2") or c eq "3")'],
    ['(a eq "1" or b eq "2") and c eq "3"', '((a eq "1" or b eq "2") and c eq "3")'],
    ['not (a eq "1") and b pr', '(not(a eq "1") and b pr)'],
    ['NOT(a eq "1" OR b pr)', 'not((a eq "1" or b pr))'],
    ['emails[type eq "work"]', 'emails.type eq "work"'],
    ['emails[type eq "work"].value eq "x"', '(emails.type eq "work" and emails.value eq "x")'],
    ['emails[type eq "work" and value co "@x"]', '(emails.type eq "work" and emails.value co "@x")'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "x"', 'username eq "x"'],
    ['name.familyName sw "O\'"', 'name.familyname sw "O\'"'],
    [String.raw`a eq "say \"hi\" \\ é"`, String.raw`a eq "say \"hi\" \\ é"`],
    ['  a   eq\t"1"  ', 'a eq "1"'],
    ['a eq "(not) and or ]["', 'a eq "(not) and or ]["'],
    ['id eq "g" and members eq "u"', '(id eq "g" and members eq "u")'],
  ])("reads %s", (text, expected) => {
    expect(show(parseFilter(text))).toBe(expected);
  });

  it.each([
    "",
    " ",
    "a",
    "a eq",
    'eq "1"',
    'a = "1"',
    "a eq 'x'",
    "a eq x",
    "a eq 01",
    'a eq "x',
    String.raw`a eq "\x"`,
    '(a eq "1"',
    'a eq "1")',
    "()",
    "not a pr",
    'a eq "1" and',
    'and a eq "1"',
    'a eq "1" b eq "2"',
    'a[b eq "1"',
    "a[]",
    'a[b eq "1"].c',
    'a[b[c eq "1"]]',
    '7a eq "1"',
    'a eq "1" "2"',
  ])("rejects %s", (text) => {
    expect(keywordOf(() => parseFilter(text))).toBe("invalidFilter");
  });

  it("accepts 1,000 characters, 20 comparisons and 20 nested parentheses, and rejects one more", () => {
    const long = (length: number) => `a eq "${"x".repeat(length - 7)}"`;
    const many = (count: number) => Array(count).fill("a pr").join(" and ");
    expect([long(1000), many(20)].map((text) => keywordOf(() => parseFilter(text)))).toEqual([null, null]);
    for (const text of [long(1001), many(21)]) expect(keywordOf(() => parseFilter(text))).toBe("invalidFilter");
    const nested = (depth: number) => `${"(".repeat(depth)}a pr${")".repeat(depth)}`;
    expect(show(parseFilter(nested(20)))).toBe("a pr");
    expect(keywordOf(() => parseFilter(nested(21)))).toBe("invalidFilter");
  });

  it("reads every text as a filter or rejects it with invalidFilter", () => {
    const part = fc.constantFrom(
      "a",
      "eq",
      '"x"',
      "(",
      ")",
      "[",
      "]",
      "not",
      "and",
      "or",
      "pr",
      ".b",
      "1",
      "true",
      " ",
      '"',
      "\\",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect([null, "invalidFilter"]).toContain(keywordOf(() => parseFilter(parts.join(" "))));
      }),
    );
  });

  it("reads back every filter that it shows", () => {
    const compare = fc.record({
      kind: fc.constant("compare" as const),
      attribute: fc.constantFrom("username", "name.givenname", "emails.value"),
      operator: fc.constantFrom("eq" as const, "ne" as const, "co" as const, "gt" as const),
      value: fc.oneof(fc.string({ maxLength: 8 }), fc.boolean(), fc.integer(), fc.constant(null)),
    });
    const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
      filter: fc.oneof(
        { maxDepth: 3 },
        compare,
        fc.record({ kind: fc.constant("not" as const), filter: tie("filter") }),
        fc.record({ kind: fc.constantFrom("and" as const, "or" as const), left: tie("filter"), right: tie("filter") }),
      ),
    }));
    fc.assert(
      fc.property(filter, (expected) => {
        const text = show(expected);
        fc.pre(text.length <= 1000);
        expect(show(parseFilter(text))).toBe(text);
      }),
    );
  });
});

describe("requireFittingValues", () => {
  const kinds = {
    username: { kind: "lower" },
    active: { kind: "boolean" },
    "meta.created": { kind: "time" },
    members: { kind: "member" },
  } as const;
  it.each([
    ['userName co "x" and not (active eq "True")', null],
    ['meta.created gt "2026-01-01T00:00:00Z"', null],
    ['members ne "42"', null],
    ["active pr and members pr", null],
    ['nickName eq "x" and constructor eq "x"', null],
    ["active gt true", "invalidFilter"],
    ['active eq "yes"', "invalidFilter"],
    ['meta.created co "2026"', "invalidFilter"],
    ['meta.created gt "soon"', "invalidFilter"],
    ["meta.created gt 7", "invalidFilter"],
    ['members co "4"', "invalidFilter"],
  ])("of %s returns %s", (text, expected) => {
    expect(keywordOf(() => requireFittingValues(parseFilter(text), kinds))).toBe(expected);
  });
});

describe("matches", () => {
  const email = { "emails.type": "work", "emails.value": "mina@example.com", "emails.primary": true };
  it.each([
    ['emails[type eq "WORK"]', true],
    ['emails[type eq "home"]', false],
    ['emails[type ne "home"]', true],
    ['emails[primary eq "True"]', true],
    ['emails[type eq "work" and value eq "leo@example.com"]', false],
    ['emails[type eq "home" or primary eq true]', true],
    ["emails[display pr]", false],
    ['emails[not (type eq "home")]', true],
  ])("of %s returns %s", (text, expected) => {
    expect(matches(parseFilter(text), email)).toBe(expected);
  });

  it("rejects an operator that paths do not support", () => {
    expect(keywordOf(() => matches(parseFilter('emails[value co "x"]'), email))).toBe("invalidFilter");
  });
});

it("attributeName removes the URN of the core schemas only", () => {
  expect(attributeName("urn:ietf:params:scim:schemas:core:2.0:User:name.givenName")).toBe("name.givenname");
  expect(attributeName("URN:ietf:params:scim:schemas:core:2.0:group:displayName")).toBe("displayname");
  const extension = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:department";
  expect(attributeName(extension)).toBe(extension);
});

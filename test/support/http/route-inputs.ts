import { type ApiDocument, type Operation, resolve, type Schema, shapeOf } from "./api-document";

/** Texts that no field may change, except for trimming. */
export const unusualTexts = [
  "  Zoë 𝒳 漢字 ﷽ 👩‍👩‍👧  ",
  "\u202eright to left\u202c",
  "a\u0000b",
  "a\u0007b",
  "a\u0085b",
  "a\r\nb",
  "a\u2028b",
  "\ud800",
  "b\udfff",
];

const hugeText = "x".repeat(10_000);
const blankText = " \u0000\u0007\r\n\u202e ";
const loneSurrogate = "𝒳é\ud800";
const emptyList: unknown[] = [];
const keysOfObjects = { __proto__: null, constructor: 1 };

/** Wrong values of a property by its type: a value of each other type, and boundary values of its own type. */
const wrongValuesByType: Record<string, unknown[]> = {
  string: [null, true, 1.5, "", "1", blankText, loneSurrogate, hugeText, [null], keysOfObjects],
  integer: [null, true, -1, 1.5, 2 ** 53, "", "1", {}],
  number: [null, true, -1, 2 ** 53, "", "1", {}],
  boolean: [null, -1, "", "1", emptyList],
  array: [null, true, "1", [null], {}, keysOfObjects],
  object: [null, true, "1", emptyList, [null], {}, keysOfObjects],
};
const allWrongValues = [
  ...[null, true, -1, 1.5, 2 ** 53, "", "1", blankText, loneSurrogate, hugeText],
  ...[emptyList, [null], {}, keysOfObjects],
];

/** Returns wrong values of a property. A property with several types gets all wrong values. */
function wrongValuesOf(schema: Schema, document: ApiDocument): unknown[] {
  const { type } = resolve(schema, document);
  const types = [type].flat().filter((name) => name !== "null");
  const [only] = types;
  return (types.length === 1 && only !== undefined && wrongValuesByType[only]) || allWrongValues;
}

/** Texts that are not an id, date, number in range or valid UTF-8, `%`-encoded where necessary. */
export const wrongTexts = [
  "%20",
  "0",
  "-1",
  "abc",
  "1e3",
  "1.5",
  "99999999999999999999",
  "%00",
  "%",
  "%ED%A0%80",
  "%E0%A4",
  "a".repeat(3000),
  "%F0%9D%92%B3",
  "1,2",
  "1%2F2",
  "'--",
  "__proto__",
];

/** Values for query parameters: some of these texts, and numbers beyond 32 and 53 bits. */
const queryTexts = [...wrongTexts.slice(0, 12), "2147483648", "9007199254740993"];

/** Header values that are not a valid number, date, digest or JSON. */
export const wrongHeaders = [
  "",
  "0",
  "-1",
  "abc",
  "1e3",
  "1.5",
  "99999999999999999999",
  "%",
  "\u00e9",
  "1,2",
  "'--",
  "{",
  'W/"x"',
  "__proto__",
  "a".repeat(3000),
];

/** Bodies that are not a JSON object. */
export const wrongBodies = ["{", "[]", "null", '"x"', "1", "[".repeat(20_000), '{"a":1}}', "\u0000", "{'a':1}"];

/** A request with bad input, as changes to the valid request. */
export type BadInput = { search?: string; body?: BodyInit; type?: string };

/** Parameters that one function of the kit parses for every route (workers/kit/http/openapi/parameters.ts). */
const frameParameters = new Set(["company_id", "page", "page_size", "limit", "cursor"]);
const frameTexts = ["0", "-1", "abc", "99999999999999999999", "%00"];

/** Yields queries in which one parameter has a wrong value, is empty or is repeated. */
export function* badQueries(operation: Operation): Generator<BadInput> {
  for (const { name } of (operation.parameters ?? []).filter((parameter) => parameter.in === "query")) {
    for (const value of frameParameters.has(name) ? frameTexts : queryTexts) yield { search: `${name}=${value}` };
    yield { search: `${name}=` };
    yield { search: `${name}=1&${name}=2` };
    yield { search: `${name}[]=1&${name}[__proto__]=1` };
  }
  yield { search: "__proto__=1&constructor=1&toString=1" };
}

/** Returns whether a text in a path matches the schema of its parameter. */
export function isOfForm(text: string, schema: Schema, document: ApiDocument): boolean {
  try {
    const value = decodeURIComponent(text);
    const isNumber = schema.type === "integer" && /^-?\d+$/.test(value);
    return shapeOf(schema, document).safeParse(isNumber ? Number(value) : value).success;
  } catch {
    // `decodeURIComponent` throws on invalid UTF-8.
    return false;
  }
}

/** Returns the values of an enum, or the ends of a range. A string without an enum has none. */
export function allowedValues(schema: Schema): unknown[] {
  if (schema.type === "array") return schema.items ? allowedValues(schema.items) : [];
  if (schema.enum) return schema.enum;
  if (schema.type === "boolean") return [true, false];
  return [schema.minimum, schema.maximum].filter((end) => end !== undefined);
}

/** Yields well-formed bodies with one wrong value each, two levels deep, and bodies with keys of Object.prototype. */
export function* badObjects(
  base: Record<string, unknown>,
  schema: Schema,
  document: ApiDocument,
): Generator<Record<string, unknown> | string> {
  for (const [name, property] of propertiesOf(schema, document)) {
    for (const value of wrongValuesOf(property, document)) yield { ...base, [name]: value };
    const inner = innerObject(base[name]);
    for (const [key, innerProperty] of propertiesOf(property, document))
      for (const value of wrongValuesOf(innerProperty, document))
        yield { ...base, [name]: wrap(base[name], { ...inner, [key]: value }) };
    yield spliced({ ...base, [name]: null }, `"${name}":{"__proto__":{"polluted":true},"constructor":{"polluted":1}}`);
  }
  yield spliced(base, '"__proto__":{"polluted":true,"is_staff":true,"company_id":1},"constructor":{"polluted":true}');
}

/** Yields forms with one wrong field each. */
export function* badForms(schema: Schema, document: ApiDocument): Generator<string> {
  yield* ["", "%", "a", "=", "&&", "__proto__=1"];
  for (const [name] of propertiesOf(schema, document)) for (const text of wrongTexts) yield `${name}=${text}`;
}

/** Returns the names and schemas of all properties that an object may have in any alternative. */
export function propertiesOf(schema: Schema, document: ApiDocument): [string, Schema][] {
  const { properties = {}, anyOf = [], allOf = [], oneOf = [], items } = resolve(schema, document);
  const nested = [...anyOf, ...allOf, ...oneOf, ...(items ? [items] : [])];
  return [
    ...new Map([
      ...nested.flatMap((nestedSchema) => propertiesOf(nestedSchema, document)),
      ...Object.entries(properties),
    ]),
  ];
}

function innerObject(value: unknown): object {
  const inner: unknown = Array.isArray(value) ? value[0] : value;
  return typeof inner === "object" && inner !== null ? inner : {};
}

function wrap(model: unknown, inner: object): unknown {
  return Array.isArray(model) ? [inner] : inner;
}

/** Returns the JSON of an object with additional members, as text, because `__proto__` cannot be a key of a literal. */
function spliced(base: object, members: string): string {
  const text = JSON.stringify(base);
  return text === "{}" ? `{${members}}` : `${text.slice(0, -1)},${members}}`;
}

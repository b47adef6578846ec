import type { KeyPath, Part } from "../findings.ts";
import { showPath } from "../findings.ts";

/** A syntax error in JSON; `offset` counts characters from 0. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export type JsonSource = { value: unknown; offsets: Map<string, Record<Part, number>> };

const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// This pattern accepts some invalid strings. JSON.parse rejects those later.
const string = /"(?:[^"\\\r\n]|\\.)*"/y;
const space = /[ \t\r\n]*/y;

/** Parses strict JSON and records the offset of each value. The last of duplicate keys wins, as in JSON.parse. */
export function parseJson(text: string): JsonSource {
  const offsets: JsonSource["offsets"] = new Map();
  let offset = text.startsWith("\uFEFF") ? 1 : 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset;
    const token = pattern.exec(text)?.[0];
    offset += token?.length ?? 0;
    return token;
  };
  const expected = (expectation: string): JsonSyntaxError => {
    const actual = offset < text.length ? `, not ${JSON.stringify(text[offset])}` : ", but the file ends";
    return new JsonSyntaxError(`Expected ${expectation}${actual}.`, offset);
  };
  const consume = (character: string): boolean => {
    match(space);
    if (text[offset] !== character) return false;
    offset += 1;
    return true;
  };
  const readString = (expectation: string): string => {
    const literal = match(string);
    if (literal === undefined) throw expected(expectation);
    try {
      return JSON.parse(literal);
    } catch {
      throw new JsonSyntaxError(`${literal} is not valid JSON.`, offset - literal.length);
    }
  };

  const readValue = (path: KeyPath, key?: number): unknown => {
    match(space);
    if (path.length > 100) throw new JsonSyntaxError("Nested too deeply.", offset);
    offsets.set(showPath(path), { key: key ?? offset, value: offset });
    if (consume("{")) return readObject(path);
    if (consume("[")) return readArray(path);
    if (text[offset] === '"') return readString("text in double quotes");
    const literal = match(word);
    if (literal === undefined) throw expected("a value");
    return JSON.parse(literal);
  };
  const readObject = (path: KeyPath): unknown => {
    const members: [string, unknown][] = [];
    if (consume("}")) return {};
    do {
      match(space);
      const start = offset;
      const key = readString("a key in double quotes");
      if (!consume(":")) throw expected('":"');
      members.push([key, readValue([...path, key], start)]);
    } while (consume(","));
    if (!consume("}")) throw expected('"," or "}"');
    return Object.fromEntries(members);
  };
  const readArray = (path: KeyPath): unknown => {
    const entries: unknown[] = [];
    if (consume("]")) return entries;
    do entries.push(readValue([...path, entries.length]));
    while (consume(","));
    if (!consume("]")) throw expected('"," or "]"');
    return entries;
  };

  const value = readValue([]);
  match(space);
  if (offset < text.length) throw expected("the end of the file");
  return { value, offsets };
}

/** Returns the line and column of an offset; both start at 1. */
export function positionOfOffset(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

import type { KeyPath, Part } from "../findings.ts";
import { showPath } from "../findings.ts";

/** A fault in JSON text; `offset` counts characters from 0. */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export type JsonSource = { value: unknown; offsets: Map<string, Record<Part, number>> };

const word = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// Which characters a text may hold is left to JSON.parse.
const string = /"(?:[^"\\\r\n]|\\.)*"/y;
const space = /[ \t\r\n]*/y;

/** Parses strict JSON with the position of each value. Of duplicate keys the last wins, as in JSON.parse. */
export function parseJson(text: string): JsonSource {
  const offsets: JsonSource["offsets"] = new Map();
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const expected = (what: string): JsonFault => {
    const found = at < text.length ? `, not ${JSON.stringify(text[at])}` : ", but the file ends";
    return new JsonFault(`Expected ${what}${found}.`, at);
  };
  const take = (character: string): boolean => {
    match(space);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const readString = (what: string): string => {
    const found = match(string);
    if (found === undefined) throw expected(what);
    try {
      return JSON.parse(found);
    } catch {
      throw new JsonFault(`${found} is no JSON text.`, at - found.length);
    }
  };

  const readValue = (path: KeyPath, key?: number): unknown => {
    match(space);
    if (path.length > 100) throw new JsonFault("Nested too deeply.", at);
    offsets.set(showPath(path), { key: key ?? at, value: at });
    if (take("{")) return readObject(path);
    if (take("[")) return readArray(path);
    if (text[at] === '"') return readString("text in double quotes");
    const found = match(word);
    if (found === undefined) throw expected("a value");
    return JSON.parse(found);
  };
  const readObject = (path: KeyPath): unknown => {
    const members: [string, unknown][] = [];
    if (take("}")) return {};
    do {
      match(space);
      const start = at;
      const key = readString("a key in double quotes");
      if (!take(":")) throw expected('":"');
      members.push([key, readValue([...path, key], start)]);
    } while (take(","));
    if (!take("}")) throw expected('"," or "}"');
    return Object.fromEntries(members);
  };
  const readArray = (path: KeyPath): unknown => {
    const entries: unknown[] = [];
    if (take("]")) return entries;
    do entries.push(readValue([...path, entries.length]));
    while (take(","));
    if (!take("]")) throw expected('"," or "]"');
    return entries;
  };

  const value = readValue([]);
  match(space);
  if (at < text.length) throw expected("the end of the file");
  return { value, offsets };
}

/** Line and column, from 1, of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

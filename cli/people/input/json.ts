import { InputError } from "./text.ts";

/** A JSON object of a list. `line` is the number of the line on which it begins. */
export type JsonRecord = { line: number; value: Record<string, unknown> };

const MAX_RECORD_CHARACTERS = 1_000_000;
const jsonString = /"(?:[^"\\]|\\.)*"/.source;
/** A member such as `"total": 2`. A member with an id or an address belongs to a person of JSON lines. */
const scalarMember = `(?!"(?:id|user_id)"|"[^"]*[Mm]ail)${jsonString}\\s*:\\s*(?:${jsonString}|[-+.\\w]+)\\s*,\\s*`;
/** A list, or an object with a list of people, as vendors export them: first or after members with simple values. */
const wrapper = new RegExp(`^\\s*(?:\\[|\\{\\s*(?:${scalarMember})*"(?:users|Users|data)"\\s*:\\s*\\[)`);
/** The beginning of a file in which the wrapper must be complete. */
const HEAD_CHARACTERS = 4096;

/** Returns whether a text begins like JSON. */
export const looksLikeJson = (head: string): boolean => /^\s*[[{]/.test(head);

/**
 * Yields the objects of a JSON list, of a list in `users`, `Users` or `data`, or of JSON lines. Reads the text as a stream, so
 * that a file of any size needs little memory. Throws an InputError for text that is not JSON.
 */
export async function* readJsonRecords(path: string, text: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  const scan = createScanner(path);
  for await (const chunk of text) yield* scan.push(chunk);
  yield* scan.end();
}

function createScanner(path: string) {
  let head: string | null = "";
  let line = 1;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let record = "";
  let recordLine = 1;
  let isList = false;
  let isFinished = false;
  /** the number of open brackets around the list and in the text after it */
  let outerDepth = 0;
  const fail = (at: number, cause: string) => new InputError(`${path}, line ${at}: ${cause}`);

  function parse(): JsonRecord {
    let value: unknown;
    try {
      value = JSON.parse(record);
    } catch {
      throw fail(recordLine, "this is not valid JSON.");
    }
    record = "";
    return { line: recordLine, value: value as Record<string, unknown> };
  }

  /** Skips a character after the list, where other members of the object that contains it may follow, but no second list. */
  function skip(character: string): void {
    if (outerDepth === 0 && !/\s/.test(character))
      throw fail(line, "the file has more text after the list. Import each list as a file of its own.");
    if (character === '"') isInString = true;
    else if (character === "{" || character === "[") outerDepth += 1;
    else if (character === "}" || character === "]") outerDepth -= 1;
  }

  function* scan(text: string): Generator<JsonRecord> {
    for (const character of text) {
      if (depth > 0) record += character;
      if (character === "\n") line += 1;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (character === "\\") isEscaped = true;
        else if (character === '"') isInString = false;
        continue;
      }
      if (depth === 0) {
        if (isFinished) {
          skip(character);
          continue;
        }
        if (/[\s,]/.test(character)) continue;
        if (character === "]") {
          isFinished = true;
          continue;
        }
        if (character !== "{") throw fail(line, "expected an object with the data of a person.");
        [record, recordLine, depth] = ["{", line, 1];
        continue;
      }
      if (character === '"') isInString = true;
      else if (character === "{" || character === "[") depth += 1;
      else if (character === "}" || character === "]") depth -= 1;
      if (depth === 0) yield parse();
      if (record.length > MAX_RECORD_CHARACTERS)
        throw fail(recordLine, "an object has more than 1,000,000 characters.");
    }
  }

  function* start(text: string): Generator<JsonRecord> {
    const begin = wrapper.exec(text)?.[0] ?? "";
    line += begin.split("\n").length - 1;
    isList = begin !== "";
    outerDepth = begin.trimStart().startsWith("{") ? 1 : 0;
    head = null;
    yield* scan(text.slice(begin.length));
  }

  return {
    *push(text: string): Generator<JsonRecord> {
      if (head === null) {
        yield* scan(text);
        return;
      }
      head += text;
      if (head.length >= HEAD_CHARACTERS) yield* start(head);
    },
    *end(): Generator<JsonRecord> {
      if (head !== null) yield* start(head);
      if (depth > 0) throw fail(recordLine, "the file ends in the middle of this object.");
      if (isList && !isFinished) throw fail(line, "the file ends in the middle of the list.");
    },
  };
}

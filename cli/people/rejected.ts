import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { toCsvLine } from "./input/csv.ts";
import type { PeopleFile, PersonRecord } from "./input/people-file.ts";
import { InputError } from "./input/text.ts";
import { type Problems, toErrorText } from "./messages.ts";

const ERROR_COLUMN = "import_error";

/** A file of people or of rejected rows. It can be read by its owner only. */
export function createPrivateFile(path: string) {
  const stream = createWriteStream(path, { mode: 0o600 });
  const opened = once(stream, "open").catch((error: unknown) => {
    throw new InputError(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  });
  // The first write throws the error; until then it must not end the process.
  opened.catch(() => undefined);
  return {
    async write(text: string): Promise<void> {
      await opened;
      if (!stream.write(text)) await once(stream, "drain");
    },
    async close(): Promise<void> {
      await opened;
      stream.end();
      await finished(stream);
    },
  };
}

/**
 * Creates the file of rejected rows. It has the columns of the imported file and a column with the reasons, which an import
 * ignores; rows of a JSON file become JSON lines.
 */
export async function createRejectedFile(path: string, { header }: Pick<PeopleFile, "header">) {
  const file = createPrivateFile(path);
  const separator = header?.separator ?? ",";
  if (header !== null)
    await file.write(toCsvLine([...withoutErrors(header.cells, header.cells), ERROR_COLUMN], separator));
  return {
    async add({ cells, source }: PersonRecord, problems: Problems): Promise<void> {
      const reasons = toErrorText(problems);
      const line =
        cells === null
          ? `${JSON.stringify({ ...source, [ERROR_COLUMN]: reasons })}\n`
          : toCsvLine([...withoutErrors(cells, header?.cells ?? cells), reasons], separator);
      await file.write(line);
    },
    close: () => file.close(),
  };
}

/** Returns the cells without those of an error column, which the file has when it is a corrected file of rejected rows. */
const withoutErrors = (cells: readonly string[], header: readonly string[]) =>
  cells.filter((_cell, at) => header[at] !== ERROR_COLUMN);

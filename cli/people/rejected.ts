import { open } from "node:fs/promises";
import { toCsvLine } from "./input/csv.ts";
import type { PeopleFile, PersonRecord } from "./input/people-file.ts";
import { InputError } from "./input/text.ts";
import { type Problems, toErrorText } from "./messages.ts";

/** The column with the reasons in a file of rejected rows. */
export const ERROR_COLUMN = "import_error";

/**
 * Creates a file of people or of rejected rows, which only its owner can read. An existing file is replaced. Throws an InputError
 * when the file cannot be written.
 */
export async function createPrivateFile(path: string) {
  const fail = (error: unknown): never => {
    throw new InputError(`${path} cannot be written: ${error instanceof Error ? error.message : error}`);
  };
  const file = await open(path, "w", 0o600).catch(fail);
  // The mode above only applies to a new file. The path may also name a device, whose mode must stay.
  if ((await file.stat()).isFile()) await file.chmod(0o600).catch(fail);
  return {
    write: (text: string): Promise<void> => file.appendFile(text).catch(fail),
    close: (): Promise<void> => file.close().catch(fail),
  };
}

/**
 * Creates the file of rejected rows. It has the columns of the imported file and a column with the reasons, which an import
 * ignores; rows of a JSON file become JSON lines.
 */
export async function createRejectedFile(path: string, { header }: Pick<PeopleFile, "header">) {
  const file = await createPrivateFile(path);
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

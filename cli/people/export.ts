import type { ExportedPerson } from "../../schemas/identity/people/imports.ts";
import type { CommandSpec } from "../../schemas/management/command-spec.ts";
import { callManagement } from "../management-call.ts";
import type { Target } from "../target.ts";
import { toCsvLine, withGuard } from "./input/csv.ts";
import { InputError } from "./input/text.ts";
import { createPrivateFile } from "./rejected.ts";

type Column = keyof ExportedPerson;

const columns: readonly Column[] = [
  ...(["email", "email_verified", "first_name", "last_name", "language", "time_zone", "created_at"] as const),
  ...(["groups", "provider_accounts", "id", "username", "access_state", "state_reason"] as const),
  ...(["is_company_owner", "is_staff", "last_seen_at", "user_metadata"] as const),
];

/**
 * Exports the members of a company as CSV or JSON lines, to a file or stdout, while the service sends them. Prints the result on
 * stderr. Returns the exit code.
 */
export async function runExport(target: Target, spec: CommandSpec, flags: Record<string, unknown>): Promise<number> {
  try {
    return await exportTo(target, spec, flags);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function exportTo(target: Target, spec: CommandSpec, flags: Record<string, unknown>): Promise<number> {
  const { company, output } = flags;
  const toText = flags.format === "ndjson" ? toJsonLine : toLine;
  const out = output === undefined ? openStandardOutput() : await createPrivateFile(String(output));
  let people = 0;
  let after: unknown = flags.after;
  if (toText === toLine) await out.write(toCsvLine(columns));
  for (;;) {
    const onRows = async (rows: readonly unknown[]) => {
      people += rows.length;
      await out.write((rows as ExportedPerson[]).map(toText).join(""));
    };
    const end = await callManagement(target, spec, { company, ...(after === undefined ? {} : { after }) }, { onRows });
    if (end.kind !== "result") {
      await out.close();
      console.error(end.line);
      console.error(`The export is incomplete: it ends after ${people} people.`);
      return end.kind === "usage" ? 2 : 1;
    }
    if (end.next === null) break;
    after = Number(end.next);
  }
  await out.close();
  console.error(`${spec.name}: people=${people}`);
  return 0;
}

/** Returns stdout as an output. Its `write` throws an InputError when the program that reads it has ended. */
function openStandardOutput() {
  // `write` reports the error. Without a listener, the event would end the process with a stack trace.
  process.stdout.once("error", () => undefined);
  return {
    write: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const end = (error: Error | null | undefined) =>
          error
            ? reject(new InputError(`The export is incomplete: stdout cannot be written: ${error.message}`))
            : resolve();
        process.stdout.write(text, end);
      }),
    close: async () => undefined,
  };
}

const toJsonLine = (person: ExportedPerson) => `${JSON.stringify(person)}\n`;

const toLine = (person: ExportedPerson) => toCsvLine(columns.map((column) => withGuard(cellOf(person[column]))));

/** Returns a list as JSON text when its items contain semicolons, else as text with semicolons. */
function cellOf(value: ExportedPerson[Column]): string {
  if (value === null) return "";
  if (Array.isArray(value) && value.length === 0) return "";
  if (Array.isArray(value) && value.every((item) => typeof item === "string" && !/[;[]/.test(item)))
    return value.join(";");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

import type { ErrorTable } from "../../../schemas/errors";
import type { CommandCounts, ManagementLine } from "../../../schemas/management";
import { clock } from "../clock";
import { utf8ToBytes } from "../crypto/encoding";
import { DatabaseError } from "../db/db";
import type { Log } from "../log";
import { messageOf, Problem } from "../problem";

/**
 * The result of a command. `summary` omits the name of the command. If a command has output of its own, `text` contains it
 * and replaces the summary line. `next` is the value of the flag `after` in the call that continues a command that stopped
 * early.
 */
export type CommandResult = {
  summary: string;
  text?: string;
  counts: CommandCounts;
  runId: number | null;
  next?: string | null;
};

/** An expected failure whose message is shown to the operator, for example that the company does not exist. */
export class CommandRefusal extends Error {
  override readonly name = "CommandRefusal";
}

/** A recorded run that failed, with the class and sanitized message of its error. The error was already logged. */
export class RunFailure extends Error {
  override readonly name: string;
  readonly runId: number | null;
  constructor(failure: { name: string; message: string }, runId: number | null) {
    super(failure.message);
    this.name = failure.name;
    this.runId = runId;
  }
}

/** Reports progress. Drops updates that follow the previous one within a second. */
export type ReportProgress = (counts: CommandCounts) => void;

/** The output of a running command. */
export type CommandStream = {
  /** call it as soon as the run is recorded */
  start: (runId: number | null) => Promise<void>;
  report: ReportProgress;
  /**
   * sends rows to the caller, and waits while the caller reads slowly; returns false when the caller has disconnected
   */
  writeRows: (rows: readonly unknown[]) => Promise<boolean>;
};

const PROGRESS_MS = 1000;

/**
 * Runs a command and streams its output as JSON lines. The command continues in `waitUntil` when the client disconnects.
 * The first line is `start`. It is sent with the run's id as soon as the run is recorded. If no run is recorded, it is sent
 * without an id directly before the last line. The last line is `result`, or `error` with the class of the error. The
 * message of an error is included only when it comes from our code. A Problem is shown by its code and its message.
 */
export function streamCommand(
  command: string,
  run: (stream: CommandStream) => Promise<CommandResult>,
  context: { log: Log; errors: ErrorTable; waitUntil: (work: Promise<unknown>) => void },
): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let isConnected = true;
  const write = async (line: ManagementLine) => {
    if (!isConnected) return;
    try {
      await writer.write(utf8ToBytes(`${JSON.stringify(line)}\n`));
    } catch {
      isConnected = false; // the client disconnected, but the command continues
    }
  };
  let lastAt = 0;
  const report: ReportProgress = (counts) => {
    const now = clock.now();
    if (now - lastAt < PROGRESS_MS) return;
    lastAt = now;
    context.waitUntil(write({ type: "progress", counts }));
  };
  let isStarted = false;
  const start = async (runId: number | null) => {
    if (isStarted) return;
    isStarted = true;
    await write({ type: "start", command, run_id: runId });
  };
  const writeRows = async (rows: readonly unknown[]) => {
    await start(null);
    await write({ type: "rows", rows });
    return isConnected;
  };
  const work = async () => {
    const outcome = await outcomeOf(command, () => run({ start, report, writeRows }), context);
    await start(outcome.run_id);
    await write(outcome);
    if (isConnected) await writer.close();
  };
  context.waitUntil(work());
  return new Response(readable, { headers: { "content-type": "application/x-ndjson", "cache-control": "no-store" } });
}

type LastLine = Extract<ManagementLine, { type: "result" | "error" }>;

async function outcomeOf(
  command: string,
  run: () => Promise<CommandResult>,
  { log, errors }: { log: Log; errors: ErrorTable },
): Promise<LastLine> {
  try {
    const { summary, text, counts, runId, next = null } = await run();
    const ends = `${runId === null ? "" : ` run_id=${runId}`}${next === null ? "" : ` next=${next}`}`;
    const line = text ?? `${command}: ${summary}${ends}`;
    return { type: "result", exit_code: 0, line, run_id: runId, counts, ...(next === null ? {} : { next }) };
  } catch (error) {
    const { name, text } = describe(error, errors);
    const isShown = error instanceof CommandRefusal || error instanceof RunFailure || isRefusal(error, errors);
    if (!isShown) log.error("command failed", { command, cause: name });
    const runId = error instanceof RunFailure ? error.runId : null;
    const line = `CommandError: ${command} failed: ${name}: ${text} (run_id=${runId ?? "-"})`;
    const retryAfter = error instanceof Problem ? Number(error.options.headers?.["retry-after"] ?? 0) : 0;
    return {
      type: "error",
      exit_code: 1,
      line,
      run_id: runId,
      ...(retryAfter > 0 ? { retry_after: retryAfter } : {}),
    };
  }
}

/** Returns whether the error is a Problem with a status below 500. The caller caused it, so it is not logged. */
const isRefusal = (error: unknown, errors: ErrorTable): boolean =>
  error instanceof Problem && (errors[error.code]?.status ?? 500) < 500;

/**
 * Returns the class and message of an error. Messages of the runtime may quote data, so only messages of our code are
 * shown.
 */
function describe(error: unknown, errors: ErrorTable): { name: string; text: string } {
  if (error instanceof CommandRefusal || error instanceof RunFailure) return { name: error.name, text: error.message };
  if (error instanceof DatabaseError) return { name: error.name, text: "the database did not respond" };
  const text = error instanceof Problem ? messageOf(error, errors) : undefined;
  if (error instanceof Problem && text !== undefined) return { name: error.code, text };
  return { name: error instanceof Error ? error.name : "Error", text: "unexpected error; see the log" };
}

import type { ManagementLine } from "../../../schemas/management";
import { clock } from "../clock";
import { utf8ToBytes } from "../crypto/encoding";
import { DatabaseError } from "../db";
import type { Log } from "../log";

/** How a command ended well: its summary line, without the name of the command. */
export type CommandResult = { summary: string; counts: Record<string, number>; runId: number | null };

/** A refusal that the operator is told in words: no such company, a last owner, and the like. */
export class CommandRefusal extends Error {
  override readonly name = "CommandRefusal";
}

/** Hears of progress; what comes more often than once a second is left out. */
export type ReportProgress = (counts: Record<string, number>) => void;

const PROGRESS_MS = 1000;

/**
 * Runs a command and answers its lines as they come (details of Document 3, 3.9). The work goes on in `waitUntil` when
 * the caller hangs up. What is thrown is one `error` line: the class, and a text only when it is ours.
 */
export function streamCommand(
  command: string,
  run: (report: ReportProgress) => Promise<CommandResult>,
  context: { log: Log; waitUntil: (work: Promise<unknown>) => void },
): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  let isHeard = true;
  const write = async (line: ManagementLine) => {
    if (!isHeard) return;
    try {
      await writer.write(utf8ToBytes(`${JSON.stringify(line)}\n`));
    } catch {
      isHeard = false; // the caller hung up; the work goes on without a listener
    }
  };
  let lastAt = 0;
  const report: ReportProgress = (counts) => {
    const now = clock.now();
    if (now - lastAt < PROGRESS_MS) return;
    lastAt = now;
    context.waitUntil(write({ type: "progress", counts }));
  };
  const work = async () => {
    await write({ type: "start", command, run_id: null });
    await write(await outcomeOf(command, () => run(report), context.log));
    if (isHeard) await writer.close();
  };
  context.waitUntil(work());
  return new Response(readable, { headers: { "content-type": "application/x-ndjson", "cache-control": "no-store" } });
}

async function outcomeOf(command: string, run: () => Promise<CommandResult>, log: Log): Promise<ManagementLine> {
  try {
    const { summary, counts, runId } = await run();
    const line = `${command}: ${summary}${runId === null ? "" : ` run_id=${runId}`}`;
    return { type: "result", exit_code: 0, line, run_id: runId, counts };
  } catch (error) {
    const { name, text } = describe(error);
    if (!(error instanceof CommandRefusal)) log.error("command failed", { command, cause: name });
    return {
      type: "error",
      exit_code: 1,
      line: `CommandError: ${command} failed: ${name}: ${text} (run_id=-)`,
      run_id: null,
    };
  }
}

/** Messages of the runtime may quote data, so only our own are told. */
function describe(error: unknown): { name: string; text: string } {
  if (error instanceof CommandRefusal) return { name: error.name, text: error.message };
  if (error instanceof DatabaseError) return { name: error.name, text: "the database did not answer" };
  return { name: error instanceof Error ? error.name : "Error", text: "unexpected fault, see the log" };
}

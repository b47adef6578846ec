import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Finding } from "../../../schemas/shell/page.ts";
import type { Command, Target } from "./env.ts";
import { type HarnessMessage, harnessCall, harnessUrl } from "./harness.ts";

export const limitMs = 10_000;
/** How long to wait for the output to end. A process that left the group may keep the stream open. */
const outputMs = 200;

export type Evaluation = HarnessMessage | { kind: "timeout" } | { kind: "ended"; code: number | null };

type Call = {
  code: string;
  /** the local name of the module's export */
  exported: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  argument: { command: Command; target: Target };
  /** receives each line that the configuration prints */
  print: (line: string) => void;
  limitMs?: number | undefined;
};

/**
 * Evaluates a bundled configuration in a child process. The result arrives over a separate pipe, so that printed output
 * cannot corrupt it. Processes that the configuration starts join the child's process group and are killed with it.
 */
export async function evaluateConfig(call: Call): Promise<Evaluation> {
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--import", harnessUrl, "-"], {
    cwd: call.folder,
    env: call.env,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    windowsHide: true,
    detached: hasGroups,
  });
  const stopListening = killOnSignals(child);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => call.print(line));
  }
  // The child closes its input early when the module has a syntax error. The syntax error is reported, not the broken pipe.
  child.stdin.on("error", () => undefined);
  child.stdin.end(call.code + harnessCall(call.exported, call.argument));
  const timeoutController = new AbortController();
  const timeout = wait(call.limitMs ?? limitMs, undefined, { signal: timeoutController.signal }).then(
    (): Evaluation => {
      killGroup(child);
      return { kind: "timeout" };
    },
  );
  try {
    return await Promise.race([resultOf(child), timeout]);
  } finally {
    timeoutController.abort();
    stopListening();
    for (const stream of child.stdio) stream?.destroy();
  }
}

async function resultOf(child: ChildProcess): Promise<Evaluation> {
  const channel = child.stdio[3];
  const closed = new Promise<void>((done) => child.once("close", () => done()));
  const [text, code] = await Promise.all([
    channel instanceof Readable ? readAll(channel) : "",
    new Promise<number | null>((done, fail) => child.once("exit", done).once("error", fail)),
  ]);
  killGroup(child);
  await Promise.race([closed, wait(outputMs, undefined, { ref: false })]);
  return text === "" ? { kind: "ended", code } : (JSON.parse(text) as HarnessMessage);
}

const hasGroups = process.platform !== "win32";

function killGroup(child: ChildProcess): void {
  if (!hasGroups || child.pid === undefined) return void child.kill("SIGKILL");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group no longer has a process.
  }
}

/**
 * Kills the process group of the child on a signal, because a terminal signals only its own group. Returns a function
 * that removes the listeners.
 */
function killOnSignals(child: ChildProcess): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const stopListening = () => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    killGroup(child);
    stopListening();
    // If there are no other listeners, the signal must have its default effect on this process.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  // `end` is prepended, so that it runs before other listeners of the signal. Node removes a `once` listener when it runs, and
  // `listenerCount` above must still count it.
  for (const signal of signals) process.prependListener(signal, end);
  return stopListening;
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns the stack frames in the evaluated text, innermost first. */
export function framesOf(stack: string): { line: number; column: number }[] {
  return [...stack.matchAll(/\[eval\d*\]:(\d+):(\d+)/g)].map(([, line, column]) => ({
    line: Number(line),
    column: Number(column),
  }));
}

/** Returns the error code and sentence for a failed evaluation. */
export function describeFailure(
  evaluation: Exclude<Evaluation, { kind: "value" }>,
): Pick<Finding, "code" | "sentence"> {
  if (evaluation.kind === "timeout") {
    return { code: "config-timeout", sentence: `It took more than ${limitMs / 1000} seconds to evaluate.` };
  }
  if (evaluation.kind === "nothing")
    return { code: "wrong-type", sentence: "The export is undefined; it must be an object." };
  if (evaluation.kind === "thrown") return { code: "config-throws", sentence: toSentence(evaluation.message) };
  const sentence =
    evaluation.code === 13
      ? "It awaits a promise that never settles."
      : `It ended its process (exit code ${evaluation.code}).`;
  return { code: "config-throws", sentence };
}

function toSentence(message: string): string {
  const line = message.split("\n").find((text) => text.trim() !== "") ?? message;
  // Node appends its internal name of the evaluated text, which means nothing to users.
  const text = line.replace(/ imported from .*$/, "").trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

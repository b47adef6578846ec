import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { Finding } from "../../../schemas/shell/page.ts";
import type { Command, Target } from "./env.ts";
import { type HarnessMessage, harnessCall, harnessUrl } from "./harness.ts";

export const limitMs = 10_000;
/** How long output is waited for that a process holds open which has left the group. */
const outputMs = 200;

export type Evaluation = HarnessMessage | { kind: "timeout" } | { kind: "ended"; code: number | null };

type Call = {
  code: string;
  /** the local name that the module exports */
  exported: string;
  folder: string;
  env: NodeJS.ProcessEnv;
  argument: { command: Command; target: Target };
  /** what the configuration prints, line by line */
  print: (line: string) => void;
  limitMs?: number | undefined;
};

/**
 * Evaluates a bundled configuration in a process of its own. The result comes over a pipe that is not its output, so that nothing
 * it prints can disturb loading. What it starts is in one group with it, and ends with it.
 */
export async function evaluateConfig(call: Call): Promise<Evaluation> {
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--import", harnessUrl, "-"], {
    cwd: call.folder,
    env: call.env,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    windowsHide: true,
    detached: hasGroups,
  });
  const listenNoMore = endBySignals(child);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => call.print(line));
  }
  // A module that fails while it is read closes its input early: what it reports counts, not that.
  child.stdin.on("error", () => undefined);
  child.stdin.end(call.code + harnessCall(call.exported, call.argument));
  const end = new AbortController();
  const late = wait(call.limitMs ?? limitMs, undefined, { signal: end.signal }).then((): Evaluation => {
    endGroup(child);
    return { kind: "timeout" };
  });
  try {
    return await Promise.race([resultOf(child), late]);
  } finally {
    end.abort();
    listenNoMore();
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
  endGroup(child);
  await Promise.race([closed, wait(outputMs, undefined, { ref: false })]);
  return text === "" ? { kind: "ended", code } : (JSON.parse(text) as HarnessMessage);
}

const hasGroups = process.platform !== "win32";

function endGroup(child: ChildProcess): void {
  if (!hasGroups || child.pid === undefined) return void child.kill("SIGKILL");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of it runs any more.
  }
}

/** Forwards signals to the child, because a terminal signals only its own process group. Returns a function that stops it. */
function endBySignals(child: ChildProcess): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const listenNoMore = () => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    endGroup(child);
    listenNoMore();
    // Without a listener it means what it means to every process.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  // First, while a listener that hears it once is still one.
  for (const signal of signals) process.prependListener(signal, end);
  return listenNoMore;
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

/** What went wrong, as code and sentence. */
export function describeFailure(end: Exclude<Evaluation, { kind: "value" }>): Pick<Finding, "code" | "sentence"> {
  if (end.kind === "timeout") {
    return { code: "config-timeout", sentence: `It took more than ${limitMs / 1000} seconds to evaluate.` };
  }
  if (end.kind === "nothing") return { code: "wrong-type", sentence: "The export is undefined; it must be an object." };
  if (end.kind === "thrown") return { code: "config-throws", sentence: toSentence(end.message) };
  const sentence =
    end.code === 13 ? "It waits for something that never comes." : `It ended its process (exit code ${end.code}).`;
  return { code: "config-throws", sentence };
}

function toSentence(message: string): string {
  const line = message.split("\n").find((text) => text.trim() !== "") ?? message;
  // The name that the evaluated text has for Node is no file that a person knows.
  const text = line.replace(/ imported from .*$/, "").trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

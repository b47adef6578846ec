import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { Finding } from "../../../schemas/shell/page.ts";
import type { Command, Target } from "./env.ts";
import { type HarnessMessage, harnessCall, harnessUrl } from "./harness.ts";

export const limitMs = 10_000;

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
 * it prints can disturb loading.
 */
export async function evaluateConfig(call: Call): Promise<Evaluation> {
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--import", harnessUrl, "-"], {
    cwd: call.folder,
    env: call.env,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, call.limitMs ?? limitMs);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => call.print(line));
  }
  // A module that fails while it is read closes its input early: what it reports counts, not that.
  child.stdin.on("error", () => undefined);
  child.stdin.end(call.code + harnessCall(call.exported, call.argument));
  try {
    const channel = child.stdio[3];
    const [text, code] = await Promise.all([
      channel instanceof Readable ? readAll(channel) : "",
      new Promise<number | null>((done, fail) => child.once("close", done).once("error", fail)),
    ]);
    if (isLate) return { kind: "timeout" };
    return text === "" ? { kind: "ended", code } : (JSON.parse(text) as HarnessMessage);
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The frames of a stack that stand in the evaluated text, innermost first. */
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

import type { Finding } from "../../schemas/shell/page.ts";
import { formatFindings } from "../config/findings.ts";

/** The functions with which a command prints: `out` for progress, `err` for warnings and errors. */
export type Output = {
  out: (line: string) => void;
  err: (line: string) => void;
  /** shows a progress message until the returned function is called; only on a terminal */
  wait?: (text: string) => Promise<(end: string) => void>;
  /** asks a yes-no question; missing unless a person can answer */
  confirm?: (question: string) => Promise<boolean>;
  /** lets the user choose one of several values; returns undefined if they chose none; missing unless a person can answer */
  choose?: (question: string, choices: Choice[]) => Promise<string | undefined>;
};

/** A value to choose, with its text on the terminal. */
export type Choice = { value: string; label: string; hint?: string };

export const terminal: Output = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  wait: async (text) => {
    if (!process.stdout.isTTY) return () => undefined;
    const { spinner } = await import("@clack/prompts");
    const wheel = spinner();
    wheel.start(text);
    return (end) => wheel.stop(end);
  },
  ...(process.stdin.isTTY &&
    process.stdout.isTTY &&
    (process.env.CI ?? "") === "" && {
      confirm: async (question) => {
        const { confirm } = await import("@clack/prompts");
        return (await confirm({ message: question })) === true;
      },
      choose: async (question, choices) => {
        const { isCancel, select } = await import("@clack/prompts");
        const choice = await select({ message: question, options: choices });
        return isCancel(choice) ? undefined : choice;
      },
    }),
};

const tones = { green: 32, red: 31, yellow: 33, dim: 2 } as const;

/** Colours text on a terminal unless NO_COLOR is set. */
export function paint(tone: keyof typeof tones, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  const isPlain = !stream.isTTY || (process.env.NO_COLOR ?? "") !== "";
  return isPlain ? text : `\u001b[${tones[tone]}m${text}\u001b[0m`;
}

/** Prints a finished step with its duration. */
export function printStep(output: Output, text: string, ms: number): void {
  output.out(`${paint("green", "✓")} ${text} ${paint("dim", `(${Math.round(ms)} ms)`)}`);
}

export function printFindings(output: Output, findings: readonly Finding[], cwd: string): void {
  for (const line of formatFindings(findings, cwd)) output.err(line);
}

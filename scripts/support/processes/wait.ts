import { once } from "node:events";
import type { Child } from "./children.ts";

const timeoutMs = 120_000;

/**
 * Polls until `isReady` returns true. Throws an error with the child's output if the child exits first, or after two
 * minutes.
 */
export async function waitFor(name: string, child: Child, isReady: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + timeoutMs;
  const hasEnded = () => child.process.exitCode !== null || child.process.signalCode !== null;
  // A request to another program on the child's port may never get a response.
  const ended = hasEnded() ? Promise.resolve(false) : once(child.process, "close").then(() => false);
  // Refused connections are expected until the program listens.
  while (!(await Promise.race([isReady().catch(() => false), ended]))) {
    if (hasEnded() || Date.now() > end) throw new Error(`${name} did not start:\n${child.output()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

import type { Child } from "./children.ts";

const timeoutMs = 120_000;

/**
 * Polls until `isReady` returns true. Throws an error with the child's output if the child exits first, or after two
 * minutes.
 */
export async function waitFor(name: string, child: Child, isReady: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + timeoutMs;
  // Refused connections are expected until the program listens.
  while (!(await isReady().catch(() => false))) {
    if (child.process.exitCode !== null || child.process.signalCode !== null || Date.now() > end) {
      throw new Error(`${name} did not start:\n${child.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

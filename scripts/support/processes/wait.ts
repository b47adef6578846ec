import type { Child } from "./children.ts";

const timeoutMs = 120_000;

/** Asks until `isReady` says yes; throws with the child's output when it ended or two minutes are over. */
export async function waitFor(what: string, child: Child, isReady: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + timeoutMs;
  // Refused connections are expected until the program listens.
  while (!(await isReady().catch(() => false))) {
    if (child.process.exitCode !== null || child.process.signalCode !== null || Date.now() > end) {
      throw new Error(`${what} did not come up:\n${child.output()}`);
    }
    await new Promise((wait) => setTimeout(wait, 200));
  }
}

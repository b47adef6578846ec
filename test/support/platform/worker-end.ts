const ends: (() => void)[] = [];

/**
 * Runs `end` when this test worker ends. vitest sends SIGTERM and waits half a second, so only synchronous work is safe; a
 * listener of another library would otherwise keep the process from exiting at all.
 */
export function atWorkerEnd(end: () => void): void {
  ends.push(end);
  if (ends.length > 1) return;
  process.once("exit", () => {
    for (const one of ends) one();
  });
  process.once("SIGTERM", () => process.exit());
  process.once("disconnect", () => process.exit());
}

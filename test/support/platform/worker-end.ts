const callbacks: (() => void)[] = [];

/**
 * Runs `callback` when this test worker exits. vitest sends SIGTERM and waits half a second, so the callback has to be
 * synchronous. Exits on SIGTERM, because a SIGTERM listener of another library would keep the process alive.
 */
export function atWorkerExit(callback: () => void): void {
  callbacks.push(callback);
  if (callbacks.length > 1) return;
  process.once("exit", () => {
    for (const run of callbacks) run();
  });
  process.once("SIGTERM", () => process.exit());
  process.once("disconnect", () => process.exit());
}

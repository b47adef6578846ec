import type { Shell } from "../shell/shell.ts";

/** Starts the service worker and error reporting after the first frame is visible, or after 3 s. */
export function scheduleDeferredParts(shell: Shell): void {
  let hasStarted = false;
  const start = () => {
    if (hasStarted) return;
    hasStarted = true;
    void import("./deferred-parts.ts").then(({ startDeferredParts }) => startDeferredParts(shell));
  };
  const follow = () => {
    const frame = shell.frames.current.get();
    frame?.phase.subscribe(() => {
      if (frame.phase.get() === "shown") start();
    });
  };
  shell.frames.current.subscribe(follow);
  setTimeout(start, 3000);
}

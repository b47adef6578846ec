import type { Shell } from "../shell/shell.ts";

/** Starts the service worker and error reporting after the first frame is visible, or after 3 s. */
export function scheduleDeferredParts(shell: Shell): void {
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    void import("./deferred-parts.ts").then(({ startDeferredParts }) => startDeferredParts(shell));
  };
  const follow = () => {
    const frame = shell.frames.current.get();
    frame?.phase.subscribe(() => {
      if (frame.phase.get() === "shown") begin();
    });
  };
  shell.frames.current.subscribe(follow);
  setTimeout(begin, 3000);
}

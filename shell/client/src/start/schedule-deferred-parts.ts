import type { Shell } from "../shell/shell.ts";

/** What waits until the first frame is seen, or until there is nothing else to do: the worker, and who reports errors. */
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

import type { Shell } from "../shell/shell.ts";

/** What waits until the first frame is seen, or until there is nothing else to do: the worker, and who reports errors. */
export function startLater(shell: Shell): void {
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    void import("./later.ts").then(({ later }) => later(shell));
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

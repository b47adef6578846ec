/**
 * Calls `wake` when the page gets focus, goes online, or is shown again. `hasPossiblyMissedMessages` is true when the page was
 * hidden or in the back/forward cache, where messages of other tabs may not arrive.
 */
export function onWake(wake: (hasPossiblyMissedMessages: boolean) => void): void {
  addEventListener("focus", () => wake(false));
  addEventListener("online", () => wake(false));
  addEventListener("pageshow", ({ persisted }) => wake(persisted));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") wake(true);
  });
}

/** Calls `wake` when the user or the network returns; `isBack` when the page was frozen and may have missed messages. */
export function followWakes(wake: (isBack: boolean) => void): void {
  addEventListener("focus", () => wake(false));
  addEventListener("online", () => wake(false));
  addEventListener("pageshow", ({ persisted }) => wake(persisted));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") wake(true);
  });
}

/** Calls when a person or the network comes back; `isBack`: the page was frozen, and may have missed what others said. */
export function followWakes(wake: (isBack: boolean) => void): void {
  addEventListener("focus", () => wake(false));
  addEventListener("online", () => wake(false));
  addEventListener("pageshow", ({ persisted }) => wake(persisted));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") wake(true);
  });
}

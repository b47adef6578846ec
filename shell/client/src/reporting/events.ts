export type ShellEvent = "shell-ready" | "frame-ready" | "signed-in" | "signed-out" | "update-ready" | "error";

/** Dispatches `platform:event` on `window` and sets a performance mark. `detail` must contain no personal data. */
export function emit(name: ShellEvent, detail: Record<string, string | number> = {}): void {
  performance.mark(`platform:${name}`);
  dispatchEvent(new CustomEvent("platform:event", { detail: { name, ...detail } }));
}

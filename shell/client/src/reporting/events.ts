export type ShellEvent = "shell-ready" | "frame-ready" | "signed-in" | "signed-out" | "update-ready" | "error";

/** Tells the page what happened: `platform:event` on `window`, and a mark of the same name. Nothing personal is in it. */
export function emit(name: ShellEvent, detail: Record<string, string | number> = {}): void {
  performance.mark(`platform:${name}`);
  dispatchEvent(new CustomEvent("platform:event", { detail: { name, ...detail } }));
}

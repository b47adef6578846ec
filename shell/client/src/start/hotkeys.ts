import type { Shell } from "../shell/shell.ts";

/** Runs the action of a key combination. Returns false if the combination has none. */
export function pressHotkey({ settings, palette }: Pick<Shell, "settings" | "palette">, combo: string): boolean {
  if (combo === "mod+k") palette.set((open) => !open);
  else if (combo === "mod+b") settings.set((last) => ({ ...last, sidebarCollapsed: last.sidebarCollapsed !== true }));
  else return false;
  return true;
}

/** Adds the shell's shortcuts: Ctrl+K or Cmd+K toggles the palette, Ctrl+B or Cmd+B toggles the sidebar. */
export function followHotkeys(shell: Shell): void {
  addEventListener("keydown", (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, key } = event;
    if (ctrlKey === metaKey || altKey || shiftKey) return;
    if (pressHotkey(shell, `mod+${key.toLowerCase()}`)) event.preventDefault();
  });
}

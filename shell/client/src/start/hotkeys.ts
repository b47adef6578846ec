import type { Shell } from "../shell/shell.ts";

/** Runs the action of a key combination; returns false when it has none. */
export function pressHotkey({ settings, palette }: Pick<Shell, "settings" | "palette">, combo: string): boolean {
  if (combo === "mod+k") palette.set((open) => !open);
  else if (combo === "mod+b") settings.set((last) => ({ ...last, sidebarCollapsed: last.sidebarCollapsed !== true }));
  else return false;
  return true;
}

/** Adds the shell's shortcuts: Ctrl or Cmd with K toggles the palette, with B the sidebar. */
export function followHotkeys(shell: Shell): void {
  addEventListener("keydown", (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, key } = event;
    if (ctrlKey === metaKey || altKey || shiftKey) return;
    if (pressHotkey(shell, `mod+${key.toLowerCase()}`)) event.preventDefault();
  });
}

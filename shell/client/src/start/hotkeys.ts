import type { Shell } from "../shell/shell.ts";

/** Does what a combination of keys stands for in the shell; false when it stands for nothing. */
export function pressHotkey({ settings, palette }: Pick<Shell, "settings" | "palette">, combo: string): boolean {
  if (combo === "mod+k") palette.set((open) => !open);
  else if (combo === "mod+b") settings.set((last) => ({ ...last, sidebarCollapsed: last.sidebarCollapsed !== true }));
  else return false;
  return true;
}

/** The keys of the shell: Ctrl or Cmd with K opens the palette, with B makes the sidebar narrow. */
export function followHotkeys(shell: Shell): void {
  addEventListener("keydown", (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, key } = event;
    if (ctrlKey === metaKey || altKey || shiftKey) return;
    if (pressHotkey(shell, `mod+${key.toLowerCase()}`)) event.preventDefault();
  });
}

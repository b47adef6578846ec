import type { Shell } from "../shell/shell.ts";

/** Runs the action of a key combination. Returns false if the combination has none. */
export function pressHotkey(
  {
    settings,
    palette,
    commands,
    frames,
    overlays,
  }: Pick<Shell, "settings" | "palette" | "commands" | "frames" | "overlays">,
  combo: string,
): boolean {
  if (combo === "mod+k") palette.set((open) => !open);
  else if (combo === "mod+b") settings.set((last) => ({ ...last, sidebarCollapsed: last.sidebarCollapsed !== true }));
  else {
    const set =
      overlays.get() === null ? commands.get().find(({ owner }) => owner === frames.current.get()?.id) : undefined;
    const command = set?.commands.find(({ shortcut }) => shortcut === combo);
    if (command === undefined) return false;
    set?.run(command.id);
  }
  return true;
}

/**
 * Adds the shell's shortcuts: Ctrl+K or Cmd+K toggles the palette, Ctrl+B or Cmd+B toggles the sidebar. Adds
 * the shortcuts of the visible application's commands.
 */
export function followHotkeys(shell: Shell): void {
  addEventListener("keydown", (event) => {
    const { ctrlKey, metaKey, altKey, shiftKey, key } = event;
    if (ctrlKey === metaKey || altKey) return;
    if (pressHotkey(shell, `mod+${shiftKey ? "shift+" : ""}${key.toLowerCase()}`)) event.preventDefault();
  });
}

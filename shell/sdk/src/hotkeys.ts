import type { Link, Page } from "./link.ts";

const isEditable = (target: EventTarget | null) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** Forwards shortcuts to the shell that the application did not handle: Escape, and Ctrl or Cmd with K or B. */
export function passHotkeys(page: Page, link: Link): void {
  page.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented, target } = event;
    // Autofill dispatches key events without a key.
    if (!key || defaultPrevented || altKey || shiftKey || !link.isOpen()) return;
    if (key === "Escape") link.post("PLATFORM_HOTKEY", { combo: "escape" });
    const letter = key.toLowerCase();
    // In a text field, Ctrl+B is bold.
    const isShellKey = letter === "k" || (letter === "b" && !isEditable(target));
    if (ctrlKey === metaKey || !isShellKey) return;
    event.preventDefault();
    link.post("PLATFORM_HOTKEY", { combo: `mod+${letter}` });
  });
}

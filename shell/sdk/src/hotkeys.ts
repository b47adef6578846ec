import type { Link, Page } from "./link.ts";

const isEditable = (target: EventTarget | null) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** Passes on the keys of the shell that the application has no use for: Escape, and Ctrl or Cmd with K or B. */
export function passHotkeys(page: Page, link: Link): void {
  page.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented, target } = event;
    // What a browser fills in by itself comes without a key.
    if (!key || defaultPrevented || altKey || shiftKey || !link.isOpen()) return;
    if (key === "Escape") link.post("PLATFORM_HOTKEY", { combo: "escape" });
    const letter = key.toLowerCase();
    // In a text, Ctrl+B is bold.
    const isShellKey = letter === "k" || (letter === "b" && !isEditable(target));
    if (ctrlKey === metaKey || !isShellKey) return;
    event.preventDefault();
    link.post("PLATFORM_HOTKEY", { combo: `mod+${letter}` });
  });
}

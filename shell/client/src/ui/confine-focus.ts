const FOCUSABLE = "a[href], button, input, select, textarea, summary, iframe, [tabindex]";

/**
 * Makes Tab wrap inside a modal dialog. An element at each end receives the focus and moves it to the other end. Key listeners
 * would not work, because key presses inside frames do not reach this page. Returns a function that removes the elements.
 */
export function confineFocus(dialog: HTMLDialogElement): () => void {
  const first = createEnd();
  const last = createEnd();
  const focusable = () =>
    [...dialog.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
      (element) =>
        element !== first &&
        element !== last &&
        element.tabIndex >= 0 &&
        !element.matches(":disabled, [inert] *") &&
        element.checkVisibility({ visibilityProperty: true }),
    );
  first.addEventListener("focus", () => focusable().at(-1)?.focus());
  last.addEventListener("focus", () => focusable().at(0)?.focus());
  dialog.prepend(first);
  dialog.append(last);
  return () => {
    first.remove();
    last.remove();
  };
}

/** Returns the end marker of a modal dialog, or null. Insert elements before it, so that Tab reaches them. */
export const lastEndOf = (parent: HTMLElement): Element | null => {
  const last = parent.lastElementChild;
  return last?.matches(".focus-end") ? last : null;
};

function createEnd(): HTMLElement {
  const end = document.createElement("div");
  end.className = "focus-end";
  end.tabIndex = 0;
  return end;
}

const FOCUSABLE = "a[href], button, input, select, textarea, summary, iframe, [tabindex]";

/**
 * Makes Tab wrap at the ends of a modal dialog. An element at each end takes the focus and passes it to the other end: keys pressed
 * inside a frame are never seen here. The return value removes them.
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

/** Where elements join a modal dialog so that Tab reaches them: before its last one. */
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

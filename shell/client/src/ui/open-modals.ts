import { createStore } from "../store.ts";
import { confineFocus } from "./confine-focus.ts";

/** The open modal dialogs, the topmost last. Everything outside of the topmost dialog is inert. */
export const openModals = createStore<readonly HTMLDialogElement[]>([]);

/** Opens a modal dialog above all others. Returns a function that closes it. */
export function openModal(dialog: HTMLDialogElement): () => void {
  dialog.showModal();
  const releaseFocus = confineFocus(dialog);
  openModals.set((all) => [...all, dialog]);
  return () => {
    dialog.close();
    openModals.set((all) => all.filter((openDialog) => openDialog !== dialog));
    releaseFocus();
  };
}

/**
 * Makes an element inert while it is outside of the topmost modal dialog, until the returned function is called. Browsers keep
 * the focus out of the page behind a modal dialog, but not out of frames that they render in another process.
 */
export function followModals(element: HTMLElement): () => void {
  const follow = () => {
    const top = openModals.get().at(-1);
    element.inert = top !== undefined && !top.contains(element);
  };
  follow();
  const unsubscribe = openModals.subscribe(follow);
  return () => {
    unsubscribe();
    element.inert = false;
  };
}

import { createStore } from "../store.ts";
import { confineFocus } from "./confine-focus.ts";

/** The modal dialogs that are open, the topmost last. Nothing outside of that one can be pressed or read. */
export const openModals = createStore<readonly HTMLDialogElement[]>([]);

/** Opens a modal dialog over all others; what it returns closes it. */
export function openModal(dialog: HTMLDialogElement): () => void {
  dialog.showModal();
  const release = confineFocus(dialog);
  openModals.set((all) => [...all, dialog]);
  return () => {
    dialog.close();
    openModals.set((all) => all.filter((one) => one !== dialog));
    release();
  };
}

/**
 * Makes an element inert while a modal dialog is open that does not contain it; the return value ends that. A modal dialog alone
 * keeps the focus out of the page behind it, but not out of frames there that the browser draws in another process.
 */
export function followModals(element: HTMLElement): () => void {
  const follow = () => {
    const top = openModals.get().at(-1);
    element.inert = top !== undefined && !top.contains(element);
  };
  follow();
  const leave = openModals.subscribe(follow);
  return () => {
    leave();
    element.inert = false;
  };
}

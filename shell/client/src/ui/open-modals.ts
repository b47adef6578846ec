import { createStore } from "../store.ts";

/** The modal dialogs that are open, the topmost last. Nothing outside of that one can be pressed or read. */
export const openModals = createStore<readonly HTMLDialogElement[]>([]);

/** Opens a modal dialog over all others; what it returns closes it. */
export function openModal(dialog: HTMLDialogElement): () => void {
  dialog.showModal();
  openModals.set((all) => [...all, dialog]);
  return () => {
    dialog.close();
    openModals.set((all) => all.filter((one) => one !== dialog));
  };
}

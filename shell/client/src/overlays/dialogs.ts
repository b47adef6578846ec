import { createStore, type Store } from "../store.ts";

export type DialogMode = "ok" | "okCancel" | "delete" | "confirm" | "onlyCancel";

/** A dialog that an application opened through the shell. */
export type AppDialog = {
  id: string;
  /** id of the frame that opened it */
  owner: string;
  /** label of the frame's item, or origin of its page; shown so that an application cannot impersonate the shell */
  from: string;
  title: string;
  description?: string;
  mode: DialogMode;
  okLabel?: string;
  cancelLabel?: string;
  secondaryLabel?: string;
  onAnswer: (answer: "ok" | "cancel" | "secondary") => void;
};

export type Dialogs = Store<AppDialog | null>;

/** Creates the store of the dialog that an application opened. Only one can be open. */
export const createDialogs = (): Dialogs => createStore<AppDialog | null>(null);

import { createStore, type Store } from "../store.ts";

export type DialogMode = "ok" | "okCancel" | "delete" | "confirm" | "onlyCancel";

/** A question that an application asks through the shell. */
export type AppDialog = {
  id: string;
  /** the frame that asks */
  owner: string;
  /** label of its item or origin of its page, so that an application cannot pose as the shell */
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

/** Questions of applications, one at a time. */
export const createDialogs = (): Dialogs => createStore<AppDialog | null>(null);

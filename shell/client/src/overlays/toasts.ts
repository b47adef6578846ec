import { createStore, type Readable } from "../store.ts";

export type ToastKind = "info" | "success" | "warning" | "error" | "loading";

export type Toast = {
  id: string;
  title: string;
  description?: string;
  kind?: ToastKind;
  /** progress as a number from 0 to 1 and as text */
  progress?: { value: number; text: string };
  /** ms, limited to 1 to 60 s; 0 keeps the toast open. Default: 5 s, or unlimited with buttons or for `loading` */
  duration?: number;
  action?: { label: string; onSelect: () => void };
  cancel?: { label: string; onSelect: () => void };
  /** id of the frame that shows the toast; absent for toasts of the shell */
  owner?: string;
  /** called when the toast was closed by its close button, Escape or a timeout */
  onClear?: () => void;
};

export type Toasts = Readable<readonly Toast[]> & {
  /** Shows a toast, or replaces the toast with the same id. Returns the id. */
  show: (toast: Omit<Toast, "id"> & { id?: string }) => string;
  dismiss: (id: string) => void;
  /** Dismisses the toasts of an owner. */
  dismissByOwner: (owner: string) => void;
};

/** Returns the lifetime of a toast in ms, or null if it remains until it is dismissed. */
export function toastDuration({ duration, kind, action, cancel }: Toast): number | null {
  if (duration === 0) return null;
  if (duration !== undefined) return Math.min(Math.max(duration, 1000), 60_000);
  return kind === "loading" || action !== undefined || cancel !== undefined ? null : 5000;
}

/** Creates the list of toasts, oldest first. */
export function createToasts(): Toasts {
  const list = createStore<readonly Toast[]>([]);
  return {
    get: list.get,
    subscribe: list.subscribe,
    show(toast) {
      const stored = { ...toast, id: toast.id ?? crypto.randomUUID?.() ?? String(Math.random()) };
      list.set((all) =>
        all.some(({ id }) => id === stored.id)
          ? all.map((old) => (old.id === stored.id ? stored : old))
          : [...all, stored],
      );
      return stored.id;
    },
    dismiss: (id) => list.set((all) => all.filter((toast) => toast.id !== id)),
    dismissByOwner: (owner) => list.set((all) => all.filter((toast) => toast.owner !== owner)),
  };
}

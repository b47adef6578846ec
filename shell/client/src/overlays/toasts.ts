import { createStore, type Readable } from "../store.ts";

export type ToastKind = "info" | "success" | "warning" | "error" | "loading";

export type Toast = {
  id: string;
  title: string;
  description?: string;
  kind?: ToastKind;
  /** how far it is, from 0 to 1, and in words */
  progress?: { value: number; text: string };
  /** ms; 0 stays. Without it: 5 s, and for ever when there is something to press or something loads */
  duration?: number;
  action?: { label: string; onSelect: () => void };
  cancel?: { label: string; onSelect: () => void };
  /** who shows it: a frame, else the shell */
  owner?: string;
  /** it went by the cross, by Escape, or by its time */
  onClear?: () => void;
};

export type Toasts = Readable<readonly Toast[]> & {
  /** Shows a toast, or another text in the place of the one with the same id. */
  show: (toast: Omit<Toast, "id"> & { id?: string }) => string;
  dismiss: (id: string) => void;
  /** Takes away what an owner showed. */
  dismissOf: (owner: string) => void;
};

/** How long a toast stays, in ms; `null`: until it is dismissed. */
export function lifeOf({ duration, kind, action, cancel }: Toast): number | null {
  if (duration === 0) return null;
  if (duration !== undefined) return Math.min(Math.max(duration, 1000), 60_000);
  return kind === "loading" || action !== undefined || cancel !== undefined ? null : 5000;
}

/** The toasts of the shell, oldest first. */
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
    dismissOf: (owner) => list.set((all) => all.filter((toast) => toast.owner !== owner)),
  };
}

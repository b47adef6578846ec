import type { LocalSettings } from "../shell/settings.ts";
import type { Store } from "../store.ts";
import type { Preferences } from "./adapters/adapter.ts";

/** The initial values of an account. They do not count as a choice of the user. */
const defaults: Required<Omit<Preferences, "pinned">> = {
  themeName: "default",
  language: "en",
  region: "UTC",
  colorScheme: "system",
};
const names = ["themeName", "language", "region", "colorScheme"] as const;

/**
 * Merges preferences at a sign-in. `apply` contains the preferences that were chosen for the account. For all other preferences,
 * `send` contains this browser's values, if they differ from the account's.
 */
export function mergePreferences(account: Preferences, local: Preferences): { apply: Preferences; send: Preferences } {
  const chosen = names.filter((name) => account[name] !== undefined && account[name] !== defaults[name]);
  const pick = (source: Preferences, pickedNames: readonly (typeof names)[number][]) =>
    Object.fromEntries(
      pickedNames.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])),
    ) as Preferences;
  const missing = names.filter((name) => !chosen.includes(name) && local[name] !== account[name]);
  return { apply: pick(account, chosen), send: pick(local, missing) };
}

export type PreferenceSync = {
  /** Sends all collected changes 800 ms after the last change. */
  change: (change: Preferences) => Promise<void>;
  /** Merges the preferences of the account and of this browser. */
  merge: (account: Preferences) => void;
  /** Sends changes again that could not be sent. */
  retry: () => void;
  /** Sends the collected changes now, because the page is closed. */
  flush: () => void;
  forget: () => void;
};

const SEND_DELAY = 800;

/** Syncs the preferences with the account. When `save` throws, the change is kept until `retry` is called. */
export function createPreferenceSync(
  settings: Store<LocalSettings>,
  save: (change: Preferences) => Promise<void>,
): PreferenceSync {
  let pending: Preferences = {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isEmpty = () => Object.keys(pending).length === 0;
  const send = async () => {
    const change = pending;
    if (isEmpty()) return;
    pending = {};
    // Another tab may have changed the pins since.
    const { pinned } = settings.get();
    try {
      await save(change.pinned && pinned ? { ...change, pinned } : change);
    } catch {
      pending = { ...change, ...pending };
    }
  };
  const schedule = (change: Preferences): Promise<void> => {
    pending = { ...pending, ...change };
    clearTimeout(timer);
    return new Promise((done) => {
      timer = setTimeout(() => void send().then(done), SEND_DELAY);
    });
  };
  return {
    change: schedule,
    merge(account) {
      const { apply, send: missing } = mergePreferences(account, settings.get());
      if (Object.keys(apply).length > 0) settings.set((last) => ({ ...last, ...apply }));
      if (Object.keys(missing).length > 0) void schedule(missing);
    },
    retry: () => {
      if (!isEmpty()) void schedule({});
    },
    flush() {
      clearTimeout(timer);
      void send();
    },
    forget() {
      clearTimeout(timer);
      pending = {};
    },
  };
}

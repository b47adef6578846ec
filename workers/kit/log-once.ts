import type { Log } from "./log";
import { DeploymentError, SettingError } from "./settings/settings";

const logged = new WeakMap<object, Set<string>>();

/** Calls `write` the first time a message occurs with an env object, which means once per isolate. */
export function logOnce(env: object, message: string, write: () => void): void {
  const messages = logged.get(env) ?? new Set();
  logged.set(env, messages);
  if (messages.has(message)) return;
  messages.add(message);
  write();
}

/** Returns the result of `read`, or null when the settings are invalid. Logs each such error once per isolate. */
export function readOrLog<T>(env: object, log: Log, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingError || error instanceof DeploymentError)) throw error;
    logOnce(env, error.message, () => log.error(error.message));
    return null;
  }
}

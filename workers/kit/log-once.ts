import type { Log } from "./log";
import { DeploymentError, SettingError } from "./settings";

const logged = new WeakMap<object, Set<string>>();

/** Tells a message once for each env object, that is once in an isolate. */
export function tellOnce(env: object, message: string, tell: () => void): void {
  const messages = logged.get(env) ?? new Set();
  logged.set(env, messages);
  if (messages.has(message)) return;
  messages.add(message);
  tell();
}

/** What `read` makes of the settings; null when they refuse the service, which is logged once in an isolate. */
export function readOrTell<T>(env: object, log: Log, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingError || error instanceof DeploymentError)) throw error;
    tellOnce(env, error.message, () => log.error(error.message));
    return null;
  }
}

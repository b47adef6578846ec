/** The results of the boot script, which stores them in `window.platformBoot`. */
export type BootRecord = {
  /** the shell is inside a frame and must not start */
  framed: boolean;
  /**
   * Path, query and fragment of a sign-in callback. Set only on the sign-in pages. The boot script has removed the secrets from
   * the address itself.
   */
  callback?: { pathname: string; search: string; hash: string };
};

/** Returns the record. Only the first call returns `callback`, which contains secrets. */
export function consumeBootRecord(): BootRecord {
  const record = (window as { platformBoot?: BootRecord }).platformBoot ?? { framed: window.self !== window.top };
  Object.defineProperty(window, "platformBoot", { value: { framed: record.framed }, configurable: true });
  return record;
}

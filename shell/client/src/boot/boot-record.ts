/** Findings of the boot script, stored in `window.platformBoot`. */
export type BootRecord = {
  /** the shell is inside a frame and must not start */
  framed: boolean;
  /**
   * Path, query and fragment of a sign-in callback, only on the sign-in's own pages; its secrets are already removed from the
   * address.
   */
  callback?: { pathname: string; search: string; hash: string };
};

/** Returns the record once; later calls no longer contain the secrets. */
export function takeBootRecord(): BootRecord {
  const record = (window as { platformBoot?: BootRecord }).platformBoot ?? { framed: window.self !== window.top };
  Object.defineProperty(window, "platformBoot", { value: { framed: record.framed }, configurable: true });
  return record;
}

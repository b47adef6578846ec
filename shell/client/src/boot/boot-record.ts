/** What the script before the first paint found, `window.platformBoot`. */
export type BootRecord = {
  /** the shell stands in a frame and starts nothing */
  framed: boolean;
  /** Path, query and fragment with which a sign-in came back, on its own pages alone; its secrets are in the address no more. */
  callback?: { pathname: string; search: string; hash: string };
};

/** Takes the record; the secrets in it are handed out once. */
export function takeBootRecord(): BootRecord {
  const record = (window as { platformBoot?: BootRecord }).platformBoot ?? { framed: window.self !== window.top };
  Object.defineProperty(window, "platformBoot", { value: { framed: record.framed }, configurable: true });
  return record;
}

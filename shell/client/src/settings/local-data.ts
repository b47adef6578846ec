const prefix = "platform:";

/** Keys of the shell in a storage of the browser. */
export const shellKeys = (storage: Storage): string[] => Object.keys(storage).filter((key) => key.startsWith(prefix));

/** What the shell keeps in this browser, for its owner to read; what opens a session is named, not shown. */
export function localData(storage: Storage): Record<string, unknown> {
  const entries = shellKeys(storage).map((key): [string, unknown] => {
    const text = storage.getItem(key) ?? "";
    try {
      return [key, JSON.parse(text, (name, value: unknown) => (/token|verifier/i.test(name) ? "…" : value))];
    } catch {
      return [key, text];
    }
  });
  return Object.fromEntries(entries);
}

/** Removes everything the shell keeps in this browser: its keys, its worker, its caches. */
export async function clearLocalData(): Promise<void> {
  for (const storage of [localStorage, sessionStorage]) for (const key of shellKeys(storage)) storage.removeItem(key);
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.map((worker) => worker.unregister()));
  if ("caches" in window) await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
}

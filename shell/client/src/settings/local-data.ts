const prefix = "platform:";

/** Returns the shell's keys in a browser storage. */
export const shellKeys = (storage: Storage): string[] => Object.keys(storage).filter((key) => key.startsWith(prefix));

/** Returns the shell's data in this browser for the user to read, with tokens and verifiers masked. */
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

/** Removes all data of the shell in this browser: storage keys, service workers, caches. */
export async function clearLocalData(): Promise<void> {
  for (const storage of [localStorage, sessionStorage]) for (const key of shellKeys(storage)) storage.removeItem(key);
  const workers = (await navigator.serviceWorker?.getRegistrations()) ?? [];
  await Promise.all(workers.map((worker) => worker.unregister()));
  if ("caches" in window) await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
}

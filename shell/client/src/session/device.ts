import { randomUuid } from "./service-error.ts";

/** Returns a random id of this browser, stored as `platform:device`. Without storage, each call returns a new id. */
export function deviceId(): string {
  try {
    const stored = localStorage.getItem("platform:device");
    if (stored !== null && /^[0-9a-f-]{36}$/.test(stored)) return stored;
    const created = randomUuid();
    localStorage.setItem("platform:device", created);
    return created;
  } catch {
    return randomUuid();
  }
}

/** Returns the browser's time zone, or undefined if the service would reject its name. */
export function timeZone(): string | undefined {
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return zone !== undefined && /^[A-Za-z0-9_+/-]{1,64}$/.test(zone) ? zone : undefined;
}

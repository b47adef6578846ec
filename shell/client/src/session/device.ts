import { randomUuid } from "./service-error.ts";

/** Returns a random id of this browser (`platform:device`); without storage it changes with each page. */
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

/** Returns the browser's time zone when its name is valid for the service. */
export function timeZone(): string | undefined {
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return zone !== undefined && /^[A-Za-z0-9_+/-]{1,64}$/.test(zone) ? zone : undefined;
}

import { emit } from "../reporting/events.ts";
import { warn } from "../reporting/warnings.ts";
import { createStore } from "../store.ts";

/** State of the service worker. `off` means that the build has none or that it is disabled in this browser. */
export type WorkerState = "unknown" | "off" | "none" | "active" | "waiting" | "failed";

/** The current state of the service worker. The settings and the diagnostics show it. */
export const workerState = createStore<WorkerState>("unknown");

const HOUR = 3_600_000;
const FOCUS_CHECK_INTERVAL = 5 * 60_000;

let registration: ServiceWorkerRegistration | undefined;
let lastCheckAt = 0;

const updateState = () => workerState.set(registration?.waiting ? "waiting" : registration?.active ? "active" : "none");

/** Checks for an update. Returns whether a new version is waiting. */
export async function checkForUpdate(): Promise<boolean> {
  lastCheckAt = Date.now();
  await registration?.update();
  // A new version installs before it waits.
  const installing = registration?.installing;
  if (installing)
    await new Promise<void>((done) => installing.addEventListener("statechange", () => done(), { once: true }));
  updateState();
  return registration?.waiting != null;
}

/** Activates the waiting version and reloads the page. */
export function installUpdate(): void {
  const waiting = registration?.waiting;
  if (!waiting) {
    location.reload();
    return;
  }
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  waiting.postMessage({ type: "SKIP_WAITING" });
}

/** Unregisters the service worker and deletes its caches. */
export async function removeWorker(): Promise<void> {
  for (const oldRegistration of await navigator.serviceWorker.getRegistrations()) await oldRegistration.unregister();
  if ("caches" in window) for (const name of await caches.keys()) await caches.delete(name);
  registration = undefined;
  workerState.set("off");
}

/** The session storage entry of a tab in which the user has postponed an update. */
const POSTPONED = "platform:update-postponed";

/** Keeps an update from being offered again when this tab loads another page. The settings still offer it. */
export function postponeUpdate(): void {
  try {
    sessionStorage.setItem(POSTPONED, "1");
  } catch {
    // Without storage, the next page offers the update again.
  }
}

function isPostponed(): boolean {
  try {
    return sessionStorage.getItem(POSTPONED) !== null;
  } catch {
    return false;
  }
}

/**
 * Registers the service worker. Checks for updates every hour, and on focus at most every five minutes. Calls `onUpdate` once
 * for each update that waits, unless the user has postponed it in this tab.
 */
export async function startWorker(onUpdate: () => void): Promise<void> {
  try {
    registration = await navigator.serviceWorker.register("/sw.js");
  } catch {
    workerState.set("failed");
    warn("the service worker could not be registered");
    return;
  }
  updateState();
  let offered: ServiceWorker | undefined;
  const notifyIfWaiting = () => {
    updateState();
    const waiting = registration?.waiting;
    // The first service worker of a page is not an update.
    if (!waiting || !navigator.serviceWorker.controller || offered === waiting) return;
    offered = waiting;
    emit("update-ready");
    onUpdate();
  };
  registration.addEventListener("updatefound", () =>
    registration?.installing?.addEventListener("statechange", notifyIfWaiting),
  );
  if (isPostponed()) offered = registration.waiting ?? undefined;
  notifyIfWaiting();
  const check = () => void checkForUpdate().catch(() => undefined);
  setInterval(check, HOUR);
  addEventListener("focus", () => {
    if (Date.now() - lastCheckAt > FOCUS_CHECK_INTERVAL) check();
  });
}

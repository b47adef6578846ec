import type { PageItem } from "../../../../schemas/shell/page.ts";
import { builtInView } from "../router/navigation.ts";

const CONNECT_AFTER = 80;
const PREFETCH_AFTER = 200;

type SavingConnection = { connection?: { saveData?: boolean } };

const connected = new Set<string>();

/** Opens a connection to an origin early, once per origin. */
function preconnect(origin: string) {
  if (connected.has(origin) || origin === location.origin) return;
  connected.add(origin);
  const link = document.createElement("link");
  link.rel = "preconnect";
  link.href = origin;
  document.head.append(link);
}

/**
 * Returns a function to call with the item under the pointer. It preconnects after 80 ms. After 200 ms it calls `load`, if the
 * item allows prefetching and keeps its frame loaded (`keepAlive`), and the browser's data-saving mode is off.
 */
export function createPrefetcher(load: (item: PageItem) => void): (item: PageItem | null) => void {
  let timers: ReturnType<typeof setTimeout>[] = [];
  return (item) => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
    if (item === null || item.openIn !== "default" || builtInView(item.url) !== undefined) return;
    const saving = (navigator as SavingConnection).connection?.saveData === true;
    timers.push(setTimeout(() => preconnect(new URL(item.url, location.origin).origin), CONNECT_AFTER));
    if (item.prefetch && item.keepAlive && !saving) timers.push(setTimeout(() => load(item), PREFETCH_AFTER));
  };
}

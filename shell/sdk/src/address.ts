import type { AppAddress } from "../../../schemas/shell/messages.ts";
import type { Link, Page } from "./link.ts";

/** Minimum interval between reports, ms. The shell handles at most ten reports per second. */
const PERIOD = 110;
/** How long a page that becomes visible waits for the shell's address before it reports its own, ms. */
const REPORT_DELAY = 50;

const textOf = ({ pathname, search, hash }: AppAddress) => pathname + search + hash;

/**
 * Syncs the addresses of the page and the shell. Only the shell adds history entries. A navigation of the application replaces
 * the current entry of the frame and is reported to the shell, which then adds an entry. Navigations of the shell arrive as
 * `popstate` and `hashchange`.
 */
export function followAddress(page: Page, link: Link) {
  const { history, location } = page;
  const push = history.pushState;
  const replace = history.replaceState;
  const states = new Map<string, unknown>();
  let reported: string | undefined;
  let isReplace = true;
  let isVisible = true;
  let nextReportAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    timer = undefined;
    const now = textOf(location);
    if (!isVisible || now === reported) return;
    const { pathname, search, hash } = location;
    if (!link.post("PLATFORM_URL_CHANGED", { pathname, search, hash, replace: isReplace })) return;
    nextReportAt = Date.now() + PERIOD;
    reported = now;
    isReplace = true;
  };
  const report = (replaces: boolean, delay = 0) => {
    // A push followed by an immediate replace counts as one push.
    isReplace &&= replaces;
    timer ??= setTimeout(flush, Math.max(delay, nextReportAt - Date.now()));
  };

  history.pushState = (state: unknown, unused: string, url?: string | URL | null) => {
    (link.isOpen() ? replace : push).call(history, state, unused, url);
    states.set(textOf(location), state);
    report(false);
  };
  history.replaceState = (state: unknown, unused: string, url?: string | URL | null) => {
    replace.call(history, state, unused, url);
    states.set(textOf(location), state);
    report(true);
  };
  // For a fragment link or the back button, the browser has already changed its history, so the shell adds no entry.
  page.addEventListener("popstate", () => report(true));
  page.addEventListener("hashchange", () => report(true));

  return {
    /** Reports the current address, unless the shell knows it. */
    reportNow: () => report(true, REPORT_DELAY),
    setVisible(visible: boolean) {
      isVisible = visible;
      report(true, REPORT_DELAY);
    },
    /** Changes the page to the address of the shell, without a history entry or a report. */
    goTo(address: AppAddress): void {
      const { href: oldURL, hash: oldHash, origin } = location;
      const target = textOf(address);
      if (timer !== undefined) clearTimeout(timer);
      timer = undefined;
      isReplace = true;
      reported = target;
      if (target === textOf(location)) return;
      const state = states.get(target) ?? null;
      replace.call(history, state, "", origin + target);
      reported = textOf(location);
      page.dispatchEvent(new page.PopStateEvent("popstate", { state }));
      if (location.hash !== oldHash)
        page.dispatchEvent(new page.HashChangeEvent("hashchange", { oldURL, newURL: location.href }));
    },
  };
}

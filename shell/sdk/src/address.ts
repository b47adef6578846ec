import type { AppAddress } from "../../../schemas/shell/messages.ts";
import type { Link, Page } from "./link.ts";

/** Reports are made ten times a second at most, in ms; the shell drops what comes faster. */
const PERIOD = 110;
/** How long a page that comes into sight waits for where the shell wants it, in ms. */
const POLITE = 50;

const textOf = ({ pathname, search, hash }: AppAddress) => pathname + search + hash;

/**
 * Keeps the addresses of page and shell together. The shell owns the history: a step of the application is written over its
 * own entry and reported, and the shell makes the entry. Steps of the shell come back as `popstate` and `hashchange`.
 */
export function followAddress(page: Page, link: Link) {
  const { history, location } = page;
  const push = history.pushState;
  const replace = history.replaceState;
  const states = new Map<string, unknown>();
  let reported: string | undefined;
  let isReplace = true;
  let isVisible = true;
  let next = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    timer = undefined;
    const now = textOf(location);
    if (!isVisible || now === reported) return;
    const { pathname, search, hash } = location;
    if (!link.post("PLATFORM_URL_CHANGED", { pathname, search, hash, replace: isReplace })) return;
    next = Date.now() + PERIOD;
    reported = now;
    isReplace = true;
  };
  const report = (replaces: boolean, delay = 0) => {
    // A step and what is written over it at once are one step.
    isReplace &&= replaces;
    timer ??= setTimeout(flush, Math.max(delay, next - Date.now()));
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
  // Steps the browser made itself, by a link to a fragment or back: their entry is there already.
  page.addEventListener("popstate", () => report(true));
  page.addEventListener("hashchange", () => report(true));

  return {
    /** Tells where the page is now, unless the shell knows. */
    reportNow: () => report(true, POLITE),
    setVisible(visible: boolean) {
      isVisible = visible;
      report(true, POLITE);
    },
    /** Goes where the shell is, without an entry and without a report. */
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

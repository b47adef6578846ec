import { createStore, type Readable } from "../store.ts";

/** An address inside the shell. */
export type Address = { pathname: string; search: string; hash: string };

export type Navigation = Address & {
  /** page load, a link or call (`push`, `replace`), the browser's buttons (`pop`), or a frame that reports its address */
  cause: "load" | "push" | "replace" | "pop" | "frame";
  /** `history.state` of the shell */
  state: unknown;
};

export type Router = Readable<Navigation> & {
  /** Navigates to a root-relative address. */
  navigate: (to: string, options?: { replace?: boolean; state?: unknown }) => void;
  /** Changes the address to the address that the visible frame reports, without rendering another view. */
  follow: (to: string, options?: { replace?: boolean }) => void;
  back: () => void;
};

export const addressText = ({ pathname, search, hash }: Address): string => pathname + search + hash;

/** Creates the router, the only module that writes the history. */
export function createRouter(): Router {
  const readLocation = (cause: Navigation["cause"]): Navigation => {
    const { pathname, search, hash } = location;
    return { pathname, search, hash, cause, state: history.state };
  };
  const current = createStore(readLocation("load"));
  addEventListener("popstate", () => current.set(readLocation("pop")));
  const changeAddress = (to: string, cause: "push" | "replace" | "frame", replace: boolean, state: unknown) => {
    if (replace) history.replaceState(state, "", to);
    else history.pushState(state, "", to);
    current.set(readLocation(cause));
  };
  return {
    get: current.get,
    subscribe: current.subscribe,
    navigate(to, { replace = false, state = null } = {}) {
      const isCurrent = to === addressText(current.get());
      changeAddress(to, replace ? "replace" : "push", replace || isCurrent, state);
    },
    follow(to, { replace = false } = {}) {
      if (to !== addressText(current.get())) changeAddress(to, "frame", replace, history.state);
    },
    back: () => history.back(),
  };
}

/** Returns a router with a fixed address. The first paint, which renders in Node, uses it. */
export function fixedRouter(pathname: string): Router {
  const current: Navigation = { pathname, search: "", hash: "", cause: "load", state: null };
  const noop = () => undefined;
  return { get: () => current, subscribe: () => noop, navigate: noop, follow: noop, back: noop };
}

/** Returns whether the router handles a click on a link: main button, no modifier key, same origin, no other target. */
export function isPlainClick(event: MouseEvent, link: HTMLAnchorElement): boolean {
  const { defaultPrevented, button, metaKey, ctrlKey, shiftKey, altKey } = event;
  if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return false;
  return link.target === "" && !link.hasAttribute("download") && link.origin === location.origin;
}

import { useEffect, useRef } from "react";
import type { Route } from "../router/routes.ts";
import { useStore } from "../store.ts";
import { useShell } from "./context.ts";

/** How long a view may take to draw its heading until the focus goes to the content as a whole, in ms. */
const PATIENCE = 1500;

/**
 * Another view takes the focus to its heading, also after the sign-in, which has a page of its own. The one that the page is loaded
 * with does not, nor does an application that moves by itself.
 */
export function useFocusOnNavigation(route: Route): void {
  const { cause } = useStore(useShell().router);
  const viewKey = `${route.view}:${route.base}:${route.view === "settings" || route.view === "legal" ? route.rest : ""}`;
  const last = useRef<string | null>(null);
  useEffect(() => {
    const isFirst = last.current === null && cause === "load";
    const isSame = last.current === viewKey;
    last.current = viewKey;
    if (isFirst || isSame || cause === "frame") return undefined;
    let request = 0;
    const until = performance.now() + PATIENCE;
    const look = () => {
      const content = document.getElementById("content");
      // Settings have a heading for the list and one for the section; one of them is seen.
      const headings = content?.querySelectorAll<HTMLElement>("h1[tabindex]") ?? [];
      const heading = [...headings].find((one) => one.offsetParent !== null);
      if (!heading && performance.now() < until) request = requestAnimationFrame(look);
      else (heading ?? content)?.focus({ preventScroll: false });
    };
    request = requestAnimationFrame(look);
    return () => cancelAnimationFrame(request);
  }, [viewKey, cause]);
}

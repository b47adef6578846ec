import { useEffect, useRef } from "react";
import type { Route } from "../router/routes.ts";
import { useStore } from "../store.ts";
import { useShell } from "./context.ts";

/** How long to wait for the heading of a view, ms. After that, the content gets the focus instead. */
const MAX_WAIT = 1500;

/**
 * Moves the focus to the heading of a new view, also after a sign-in. Does not move it for the first view of a page or for
 * navigation inside an application.
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
    const deadline = performance.now() + MAX_WAIT;
    const focusHeading = () => {
      const content = document.getElementById("content");
      // Settings render two headings, one of which is hidden by CSS.
      const headings = content?.querySelectorAll<HTMLElement>("h1[tabindex]") ?? [];
      const heading = [...headings].find((candidate) => candidate.offsetParent !== null);
      if (!heading && performance.now() < deadline) request = requestAnimationFrame(focusHeading);
      else (heading ?? content)?.focus({ preventScroll: false });
    };
    request = requestAnimationFrame(focusHeading);
    return () => cancelAnimationFrame(request);
  }, [viewKey, cause]);
}

import type { ComponentChildren } from "preact";
import { isPlainClick, type Router } from "./router.ts";

/**
 * Presses of links go through the router: of every link to the own origin that is not a file. One listener for the whole
 * page, so that links are links.
 */
export function followLinks(router: Router): void {
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || !isPlainClick(event, link) || isFile(link.pathname)) return;
    if (link.hash !== "" && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    router.navigate(link.pathname + link.search + link.hash);
  });
}

/** Files of `static/` and of the build are no views. */
const isFile = (pathname: string) =>
  /^\/(assets|icons)\//.test(pathname) || /\.(md|svg|png|pdf|txt|json|js|css)$/.test(pathname);

/** A link to somewhere else: a tab of its own, which learns nothing of this one. */
export function OuterLink({
  href,
  class: extra,
  children,
}: {
  href: string;
  class?: string;
  children: ComponentChildren;
}) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" class={extra}>
      {children}
    </a>
  );
}

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

import type { Shell } from "../shell/shell.ts";
import { isPlainClick } from "./router.ts";
import { isFileOfServer } from "./routes.ts";

/**
 * Navigates with the router when the user clicks a link to a view of the shell. There is one listener for the page, so that
 * components can use plain links.
 */
export function followLinks({ page, router }: Pick<Shell, "page" | "router">): void {
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || !isPlainClick(event, link) || isFileOfServer(page.get().config, link.pathname)) return;
    if (link.hash !== "" && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    router.navigate(link.pathname + link.search + link.hash);
  });
}

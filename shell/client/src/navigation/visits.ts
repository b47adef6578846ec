import { matchRoute } from "../router/routes.ts";
import type { Shell } from "../shell/shell.ts";

const MAX_RECENT = 8;

/** Keeps the paths of the items that the user opened last in the settings of this browser. */
export function followVisits({ page, router, settings }: Pick<Shell, "page" | "router" | "settings">): void {
  const update = () => {
    const { item } = matchRoute(page.get().config, router.get().pathname);
    const { recent = [] } = settings.get();
    if (item === undefined || item.path === recent[0]) return;
    const others = recent.filter((path) => path !== item.path);
    settings.set((last) => ({ ...last, recent: [item.path, ...others].slice(0, MAX_RECENT) }));
  };
  update();
  router.subscribe(update);
}

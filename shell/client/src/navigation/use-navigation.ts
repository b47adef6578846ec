import { isGroup, type PageEntry, type PageItem } from "../../../../schemas/shell/page.ts";
import { openingOf } from "../router/guard.ts";
import { itemsOf, listedEntries } from "../router/navigation.ts";
import { matchRoute, type Route } from "../router/routes.ts";
import { useShell } from "../shell/context.ts";
import { phaseOf, useSessionState, useViewer } from "../shell/viewer.ts";
import { useStore } from "../store.ts";

/** Returns the route of the current address. */
export function useRoute(): Route {
  const { page, router } = useShell();
  const { config } = useStore(page);
  return matchRoute(
    config,
    useStore(router, ({ pathname }) => pathname),
  );
}

/** Returns the item of the current address. */
export function useCurrentItem(): PageItem | undefined {
  const { page } = useShell();
  const { config } = useStore(page);
  const route = useRoute();
  if (route.item !== undefined || route.view !== "settings") return route.item;
  return itemsOf(config.navigation).find(({ item }) => item.url === "/__settings")?.item;
}

/** Returns how an item opens for the current user. */
export function useOpening(): (item: PageItem) => PageItem["openIn"] {
  const phase = phaseOf(useSessionState());
  const viewer = useViewer();
  return (item) => openingOf(item, phase, viewer);
}

/** Returns the entries that the user sees, split by position, and all their items. */
export function useNavigation(): { start: PageEntry[]; end: PageEntry[]; items: PageItem[] } {
  const { page } = useShell();
  const entries = listedEntries(useStore(page).config.navigation, useViewer());
  const isAtEnd = (entry: PageEntry) => entry.position === "end";
  const start = entries.filter((entry) => !isAtEnd(entry));
  const end = entries.filter(isAtEnd);
  return { start, end, items: itemsOf([...start, ...end]).map(({ item }) => item) };
}

export const isItem = (entry: PageEntry): entry is PageItem => !isGroup(entry);

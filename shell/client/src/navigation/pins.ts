import { isGroup, type PageEntry, type PageItem } from "../../../../schemas/shell/page.ts";
import { itemsOf } from "../router/navigation.ts";

/** Returns the items with these paths, in the order of the paths, and the other entries without empty groups. */
export function splitPinned(
  entries: readonly PageEntry[],
  pinned: readonly string[],
): { items: PageItem[]; others: PageEntry[] } {
  const all = itemsOf(entries).map(({ item }) => item);
  const without = (list: readonly PageEntry[]): PageEntry[] =>
    list.flatMap((entry): PageEntry[] => {
      if (!isGroup(entry)) return pinned.includes(entry.path) ? [] : [entry];
      const items = without(entry.items);
      return items.length === 0 ? [] : [{ ...entry, items }];
    });
  return { items: pinned.flatMap((path) => all.filter((item) => item.path === path)), others: without(entries) };
}

/** Returns the list with the entry added at its end, or without the entry if it was there. */
export const toggled = (list: readonly string[] | undefined, entry: string): string[] =>
  list?.includes(entry) ? list.filter((other) => other !== entry) : [...(list ?? []), entry];

import { isGroup, type PageEntry, type PageItem } from "../../../../schemas/shell/page.ts";
import { itemsOf } from "../router/navigation.ts";

/** The account stores at most this many pinned places. */
export const MAX_PINNED = 50;

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

/**
 * Returns the pins with the entry at a position among the visible pins. Pins that are not visible, such as those of another
 * shell of the account, keep their positions.
 */
export function movedTo(
  pinned: readonly string[],
  visible: readonly string[],
  entry: string,
  position: number,
): string[] {
  const order = visible.filter((other) => other !== entry);
  order.splice(position, 0, entry);
  let next = 0;
  return pinned.map((path) => (order.includes(path) ? (order[next++] ?? path) : path));
}

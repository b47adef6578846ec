import type { PageItem } from "../../../../schemas/shell/page.ts";
import { pathOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import type { MenuEntry } from "../ui/menu.tsx";
import { useCurrentItem, useOpening } from "./use-navigation.ts";

/** Returns a function that converts an item to a menu entry. The entry opens like the item's link. */
export function useItemEntry(): (item: PageItem) => MenuEntry {
  const { overlays } = useShell();
  const text = useText();
  const current = useCurrentItem();
  const opening = useOpening();
  return (item) => {
    const entry = { key: item.path, text: text(item.label), current: current?.path === item.path };
    const openIn = opening(item);
    if (openIn === "external")
      return { ...entry, icon: "arrow-up-right", onSelect: () => void open(item.url, "_blank", "noopener,noreferrer") };
    if (openIn !== "default") return { ...entry, onSelect: () => overlays.openItem(item) };
    return { ...entry, href: pathOf(item) };
  };
}

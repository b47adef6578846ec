import type { PageItem } from "../../../../schemas/shell/page.ts";
import { pathOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import type { MenuEntry } from "../ui/menu.tsx";
import { useCurrentItem } from "./use-navigation.ts";

/** An item as an entry of a menu. It opens as it does everywhere else. */
export function useItemEntry(): (item: PageItem) => MenuEntry {
  const { overlays } = useShell();
  const text = useText();
  const current = useCurrentItem();
  return (item) => {
    const entry = { key: item.path, text: text(item.label), current: current?.path === item.path };
    if (item.openIn === "external")
      return { ...entry, icon: "arrow-up-right", onSelect: () => void open(item.url, "_blank", "noopener,noreferrer") };
    if (item.openIn !== "default") return { ...entry, onSelect: () => overlays.openItem(item) };
    return { ...entry, href: pathOf(item) };
  };
}

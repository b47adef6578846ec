import { useT } from "../i18n/use-t.ts";
import { useCurrentItem, useNavigation } from "../navigation/use-navigation.ts";
import { itemsOf } from "../router/navigation.ts";
import { IconButton } from "../ui/button.tsx";
import { usePins } from "./use-pins.ts";

/** Pins the current item to the top of the sidebar. Renders nothing where the sidebar does not list the current place. */
export function PinButton() {
  const t = useT();
  const pins = usePins();
  const path = useCurrentItem()?.path;
  const isListed = itemsOf(useNavigation().start).some(({ item }) => item.path === path);
  if (path === undefined || !isListed) return null;
  const isPinned = pins.isPinned(path);
  if (pins.isFull && !isPinned) return null;
  return (
    <IconButton
      icon="pin"
      label={t("nav.pin")}
      class="not-small"
      aria-pressed={isPinned}
      onClick={() => pins.toggle(path)}
    />
  );
}

import { useT } from "../i18n/use-t.ts";
import { itemsOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { IconButton } from "../ui/button.tsx";
import { toggled } from "./pins.ts";
import { useCurrentItem, useNavigation } from "./use-navigation.ts";

/** Pins the current item to the top of the sidebar. Renders nothing where the sidebar does not list the current place. */
export function PinButton() {
  const { settings } = useShell();
  const t = useT();
  const path = useCurrentItem()?.path;
  const isPinned = useStore(settings, ({ pinned }) => path !== undefined && pinned?.includes(path) === true);
  const isListed = itemsOf(useNavigation().start).some(({ item }) => item.path === path);
  if (path === undefined || !isListed) return null;
  return (
    <IconButton
      icon="pin"
      label={t("nav.pin")}
      class="not-small"
      aria-pressed={isPinned}
      onClick={() => settings.set((last) => ({ ...last, pinned: toggled(last.pinned, path) }))}
    />
  );
}

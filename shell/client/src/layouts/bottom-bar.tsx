import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { NavLink } from "../navigation/nav-link.tsx";
import { NavList } from "../navigation/nav-list.tsx";
import { useCurrentItem, useNavigation, useRoute } from "../navigation/use-navigation.ts";
import { useShell } from "../shell/context.ts";
import { Sheet } from "../ui/sheet.tsx";
import { AccountPlace } from "./account-place.tsx";
import { SheetPlace } from "./sheet-place.tsx";

const MAX_PLACES = 5;

/**
 * The navigation on small screens: up to five places at the bottom. With a backend the last place is the account. Items that do
 * not fit are in the sheet of the place before it.
 */
export function BottomBar() {
  const { page } = useShell();
  const t = useT();
  const { start, end, items } = useNavigation();
  const current = useCurrentItem();
  const route = useRoute();
  const [open, setOpen] = useState(false);
  const visibleItems = items.filter((item) => !item.hiddenOnMobile);
  const hasAccount = page.get().config.backend !== undefined;
  const places = hasAccount ? MAX_PLACES - 1 : MAX_PLACES;
  const fitsAll = visibleItems.length <= places;
  const barItems = fitsAll ? visibleItems : visibleItems.slice(0, places - 1);
  const isInBar = barItems.some(({ path }) => path === current?.path);
  const isAccount = hasAccount && route.view === "settings" && (route.rest === "account" || !isInBar);
  const close = () => setOpen(false);
  if (visibleItems.length === 0 && !hasAccount) return null;
  return (
    <nav class="bottom-bar" aria-label={t("nav.main")}>
      <ul>
        {barItems.map((item) => (
          <li key={item.path}>
            <NavLink item={item} />
          </li>
        ))}
        {fitsAll ? null : (
          <li>
            <SheetPlace
              icon="ellipsis"
              text={t("nav.moreButton")}
              isCurrent={current !== undefined && !isInBar && !isAccount}
              isOpen={open}
              onOpen={() => setOpen(true)}
            />
          </li>
        )}
        {hasAccount ? (
          <li>
            <AccountPlace isCurrent={isAccount} />
          </li>
        ) : null}
      </ul>
      {open ? (
        <Sheet title={t("nav.all")} side="bottom" class="more-sheet" onClose={close}>
          <NavList entries={[...start, ...end]} onOpen={close} />
        </Sheet>
      ) : null}
    </nav>
  );
}

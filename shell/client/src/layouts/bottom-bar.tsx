import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { NavLink } from "../navigation/nav-link.tsx";
import { NavList } from "../navigation/nav-list.tsx";
import { useCurrentItem, useNavigation } from "../navigation/use-navigation.ts";
import { useShell } from "../shell/context.ts";
import { Icon } from "../ui/icon.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { AccountMenu } from "./account-menu.tsx";

const PLACES = 5;

/** The navigation on small screens: up to five entries at the bottom. If not everything fits, the last one opens a sheet. */
export function BottomBar() {
  const { page, openPalette } = useShell();
  const t = useT();
  const { start, end, items } = useNavigation();
  const current = useCurrentItem();
  const [open, setOpen] = useState(false);
  const visibleItems = items.filter((item) => !item.hiddenOnMobile);
  // With a backend the sheet is always needed, because it contains the account.
  const all = visibleItems.length <= PLACES && page.get().config.backend === undefined;
  const places = visibleItems.slice(0, all ? PLACES : PLACES - 1);
  const isBehind = current !== undefined && !places.some(({ path }) => path === current.path);
  const close = () => setOpen(false);
  if (all && visibleItems.length === 0) return null;
  return (
    <nav class="bottom-bar" aria-label={t("nav.main")}>
      <ul>
        {places.map((item) => (
          <li key={item.path}>
            <NavLink item={item} />
          </li>
        ))}
        {all ? null : (
          <li>
            <button
              type="button"
              class="nav-link"
              aria-current={isBehind ? "true" : undefined}
              aria-haspopup="dialog"
              aria-expanded={open}
              onClick={() => setOpen(true)}
            >
              <Icon name="ellipsis" size={20} />
              <span class="nav-text">{t("nav.moreButton")}</span>
            </button>
          </li>
        )}
      </ul>
      {open ? (
        <Sheet title={t("nav.all")} side="bottom" class="more-sheet" onClose={close}>
          <button
            type="button"
            class="nav-link"
            onClick={() => {
              close();
              openPalette();
            }}
          >
            <Icon name="search" />
            <span class="nav-text">{t("palette.open")}</span>
          </button>
          <NavList entries={[...start, ...end]} onOpen={close} />
          <div class="more-account">
            <AccountMenu />
          </div>
        </Sheet>
      ) : null}
    </nav>
  );
}

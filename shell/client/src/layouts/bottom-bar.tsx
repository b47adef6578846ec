import { useState } from "react";
import { useT } from "../i18n/use-t.ts";
import { NavLink } from "../navigation/nav-link.tsx";
import { NavList } from "../navigation/nav-list.tsx";
import { useCurrentItem, useNavigation } from "../navigation/use-navigation.ts";
import { useShell } from "../shell/context.ts";
import { Icon } from "../ui/icon.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { AccountMenu } from "./account-menu.tsx";

const MAX_ENTRIES = 5;

/** The navigation on small screens: up to five entries at the bottom. If not everything fits, the last entry opens a sheet. */
export function BottomBar() {
  const { page, openPalette } = useShell();
  const t = useT();
  const { start, end, items } = useNavigation();
  const current = useCurrentItem();
  const [open, setOpen] = useState(false);
  const visibleItems = items.filter((item) => !item.hiddenOnMobile);
  // With a backend the sheet is always needed, because it contains the account.
  const fitsAll = visibleItems.length <= MAX_ENTRIES && page.get().config.backend === undefined;
  const barItems = visibleItems.slice(0, fitsAll ? MAX_ENTRIES : MAX_ENTRIES - 1);
  const isInSheet = current !== undefined && !barItems.some(({ path }) => path === current.path);
  const close = () => setOpen(false);
  if (fitsAll && visibleItems.length === 0) return null;
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
            <button
              type="button"
              class="nav-link"
              aria-current={isInSheet ? "true" : undefined}
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

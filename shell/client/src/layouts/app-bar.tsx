import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "react";
import { isGroup, type PageEntry } from "../../../../schemas/shell/page.ts";
import { useT } from "../i18n/use-t.ts";
import { NavLink } from "../navigation/nav-link.tsx";
import { NavList } from "../navigation/nav-list.tsx";
import { useItemEntry } from "../navigation/use-item-entry.ts";
import { isItem, useCurrentItem, useNavigation } from "../navigation/use-navigation.ts";
import { itemsOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { entryKey, useText } from "../shell/use-text.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { PageHeader } from "./page-header.tsx";

/** Layout with the navigation in a top bar. On small screens, a button opens the navigation. */
export function AppBarLayout({ children }: { children: ComponentChildren }) {
  const { openPalette } = useShell();
  const t = useT();
  const { start, end } = useNavigation();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <div class="shell top">
      <header class="app-bar">
        <IconButton
          icon="menu"
          label={t("nav.all")}
          class="bar-menu"
          aria-haspopup="dialog"
          aria-expanded={open}
          onClick={() => setOpen(true)}
        />
        <Brand />
        <BarNavigation entries={start} />
        <div class="bar-end">
          {end.length === 0 ? null : (
            <nav aria-label={t("nav.more")} class="bar-icons">
              {itemsOf(end).map(({ item }) => (
                <NavLink key={item.path} item={item} tooltip />
              ))}
            </nav>
          )}
          <IconButton icon="search" label={t("palette.open")} onClick={() => openPalette()} />
          <AccountMenu compact />
        </div>
      </header>
      <div class="page">
        <PageHeader as="div" />
        {children}
      </div>
      {open ? (
        <Sheet title={t("nav.all")} side="left" class="more-sheet" onClose={close}>
          <nav aria-label={t("nav.main")}>
            <NavList entries={[...start, ...end]} onOpen={close} />
          </nav>
        </Sheet>
      ) : null}
    </div>
  );
}

/** Measures the entries, shows as many as fit, and puts the others into a menu. */
function BarNavigation({ entries }: { entries: readonly PageEntry[] }) {
  const t = useT();
  const row = useRef<HTMLUListElement>(null);
  const [visibleCount, setVisibleCount] = useState(entries.length);
  const toEntry = useItemEntry();
  const hidden = entries.slice(visibleCount);
  useLayoutEffect(() => {
    const list = row.current;
    if (list === null) return undefined;
    const measure = () => {
      const widths = [...list.children].map((child) => (child instanceof HTMLElement ? child.offsetWidth : 0));
      setVisibleCount(countVisible(widths.slice(0, entries.length), list.clientWidth, 44));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(list);
    return () => observer.disconnect();
  }, [entries.length]);
  return (
    <nav class="bar-nav" aria-label={t("nav.main")}>
      <ul ref={row}>
        {entries.map((entry, index) => (
          <li key={entryKey(entry)} class={index < visibleCount ? undefined : "over"}>
            <BarEntry entry={entry} />
          </li>
        ))}
      </ul>
      {hidden.length === 0 ? null : (
        <Menu
          label={t("nav.moreButton")}
          opener={<Icon name="ellipsis" />}
          end
          entries={itemsOf(hidden).map(({ item }) => toEntry(item))}
        />
      )}
    </nav>
  );
}

/** Returns how many of `widths` fit into `available` when the overflow menu takes `menuWidth`. All in px. */
export function countVisible(widths: readonly number[], available: number, menuWidth: number): number {
  const total = widths.reduce((sum, width) => sum + width, 0);
  if (total <= available) return widths.length;
  let used = menuWidth;
  const first = widths.findIndex((width) => {
    used += width;
    return used > available;
  });
  return first === -1 ? widths.length : first;
}

function BarEntry({ entry }: { entry: PageEntry }) {
  const text = useText();
  const toEntry = useItemEntry();
  const current = useCurrentItem();
  if (isItem(entry)) return <NavLink item={entry} />;
  if (!isGroup(entry)) return null;
  return (
    <Menu
      openerClass={itemsOf(entry.items).some(({ item }) => item === current) ? "nav-link current" : "nav-link"}
      opener={
        <>
          <span class="nav-text" dir="auto">
            {text(entry.title)}
          </span>
          <Icon name="chevron-down" size={14} />
        </>
      }
      entries={itemsOf(entry.items).map(({ item }) => toEntry(item))}
    />
  );
}

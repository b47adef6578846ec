import type { PageItem } from "../../../../schemas/shell/page.ts";
import { useT } from "../i18n/use-t.ts";
import { pathOf } from "../router/navigation.ts";
import { useShell } from "../shell/context.ts";
import { useText } from "../shell/use-text.ts";
import { useStore } from "../store.ts";
import { Icon } from "../ui/icon.tsx";
import { NavIcon } from "./nav-icon.tsx";
import { useCurrentItem, useOpening } from "./use-navigation.ts";

/** Sets the whole label as tooltip when an element shows only a part of it. */
export function setTooltipIfCut(element: HTMLElement, label: string): void {
  const text = element.querySelector('[dir="auto"]');
  if (text !== null && text.scrollWidth > text.clientWidth) element.title = label;
  else element.removeAttribute("title");
}

/** A navigation item in any layout: a link with icon, label and badge. */
export function NavLink({
  item,
  class: extra,
  tooltip = false,
  onOpen,
}: {
  item: PageItem;
  class?: string;
  tooltip?: boolean;
  onOpen?: () => void;
}) {
  const { frames, badges, overlays } = useShell();
  const t = useT();
  const label = useText()(item.label);
  const current = useCurrentItem()?.path === item.path;
  const badge = useStore(badges, (all) => all[item.path]);
  const openIn = useOpening()(item);
  const isExternal = openIn === "external";
  const opensOverlay = openIn === "modal" || openIn === "drawer";
  return (
    <a
      href={isExternal ? item.url : pathOf(item)}
      class={["nav-link", extra, item.hiddenOnMobile && "not-small", item.hiddenOnDesktop && "not-wide"]
        .filter(Boolean)
        .join(" ")}
      aria-current={current ? "page" : undefined}
      aria-haspopup={opensOverlay ? "dialog" : undefined}
      title={tooltip ? label : undefined}
      onMouseEnter={({ currentTarget }) => {
        if (!tooltip) setTooltipIfCut(currentTarget, label);
      }}
      {...(isExternal ? { target: "_blank", rel: "noopener noreferrer" } : {})}
      onPointerEnter={() => frames?.prefetchSoon(item)}
      onPointerLeave={() => frames?.prefetchSoon(null)}
      onFocus={() => frames?.prefetchSoon(item)}
      onBlur={() => frames?.prefetchSoon(null)}
      onTouchStart={() => frames?.prefetchSoon(item)}
      onClick={(event) => {
        if (opensOverlay && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
          event.preventDefault();
          overlays.openItem(item);
        }
        onOpen?.();
      }}
    >
      <NavIcon icon={item.icon} url={item.url} label={label} />
      <span class="nav-text" dir="auto">
        {label}
      </span>
      {badge === undefined ? null : (
        <span class="badge">
          <span aria-hidden="true">{badge > 99 ? "99+" : badge}</span>
          <span class="visually-hidden">{t("nav.badge", { count: badge })}</span>
        </span>
      )}
      {isExternal ? (
        <span class="nav-outer">
          <Icon name="arrow-up-right" size={14} label={t("nav.newTab")} />
        </span>
      ) : null}
    </a>
  );
}

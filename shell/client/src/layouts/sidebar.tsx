import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "react";
import { useT } from "../i18n/use-t.ts";
import { NavList } from "../navigation/nav-list.tsx";
import { useNavigation } from "../navigation/use-navigation.ts";
import { PinButton } from "../places/pin-button.tsx";
import { splitPinned } from "../places/pins.ts";
import { PlaceRow } from "../places/place-row.tsx";
import { useShell } from "../shell/context.ts";
import { useStore } from "../store.ts";
import { IconButton } from "../ui/button.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { BottomBar } from "./bottom-bar.tsx";
import { Brand } from "./brand.tsx";
import { PageHeader } from "./page-header.tsx";
import { useSmall } from "./use-small.ts";

const MIN_WIDTH = 230;
const MAX_WIDTH = 480;
const DEFAULT_WIDTH = 256;
const STEP = 16;

/** Limits a sidebar width to the allowed range, px. */
export const clampWidth = (width: number): number => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/** Layout with the navigation at the side, or a bottom bar on small screens. */
export function SidebarLayout({ children }: { children: ComponentChildren }) {
  const { settings, openPalette } = useShell();
  const t = useT();
  const small = useSmall();
  const collapsed = useStore(settings, ({ sidebarCollapsed }) => sidebarCollapsed === true);
  const width = useStore(settings, ({ sidebarWidth }) => sidebarWidth);
  // The width and the collapsed state are set on the root element, where the boot script sets them before the first paint.
  useEffect(() => {
    const root = document.documentElement;
    if (collapsed) root.dataset.sidebar = "collapsed";
    else delete root.dataset.sidebar;
    if (width === undefined) root.style.removeProperty("--sidebar-width");
    else root.style.setProperty("--sidebar-width", `${clampWidth(width)}px`);
  }, [collapsed, width]);
  return (
    <div class="shell side">
      {small === true ? null : <Sidebar collapsed={collapsed} />}
      <div class="page">
        <PageHeader
          before={
            <IconButton
              icon="panel-left"
              label={t(collapsed ? "nav.expand" : "nav.collapse")}
              class="not-small"
              aria-expanded={!collapsed}
              aria-keyshortcuts="Control+B Meta+B"
              onClick={() => settings.set((last) => ({ ...last, sidebarCollapsed: !collapsed }))}
            />
          }
          brand={<Brand class="not-wide" />}
          after={
            <>
              <PinButton />
              <IconButton
                icon="search"
                label={t("palette.open")}
                size={20}
                class="not-wide"
                onClick={() => openPalette()}
              />
            </>
          }
        />
        {children}
      </div>
      {small === false ? null : <BottomBar />}
    </div>
  );
}

function Sidebar({ collapsed }: { collapsed: boolean }) {
  const { openPalette, settings } = useShell();
  const t = useT();
  const navigation = useNavigation();
  const pinned = useStore(settings, (all) => all.pinned) ?? [];
  const { items, others: start } = splitPinned(navigation.start, pinned);
  const end = navigation.end;
  const pins =
    items.length === 0 ? [] : [{ title: t("nav.pinned"), items, position: "start" as const, collapsed: false }];
  return (
    <aside class="sidebar" aria-label={t("nav.sidebar")}>
      <div class="sidebar-head">
        <Brand />
        <IconButton icon="search" label={t("palette.open")} class="head-search" onClick={() => openPalette()} />
      </div>
      <nav class="sidebar-nav" aria-label={t("nav.main")}>
        <NavList entries={[...pins, ...start]} tooltips={collapsed} {...(!collapsed && { row: PlaceRow })} />
      </nav>
      <div class="sidebar-foot">
        {end.length === 0 ? null : (
          <nav aria-label={t("nav.more")}>
            <NavList entries={end} tooltips={collapsed} />
          </nav>
        )}
        <AccountMenu compact={collapsed} />
      </div>
      {collapsed ? null : <Resizer />}
    </aside>
  );
}

/** Resizes the sidebar by dragging or with the arrow keys. A double click resets the width. */
function Resizer() {
  const { settings } = useShell();
  const t = useT();
  const width = useStore(settings, ({ sidebarWidth }) => clampWidth(sidebarWidth ?? DEFAULT_WIDTH));
  const drag = useRef<{ x: number; width: number } | null>(null);
  const isRightToLeft = () => document.documentElement.dir === "rtl";
  const setWidth = (next: number) => settings.set((last) => ({ ...last, sidebarWidth: clampWidth(next) }));
  const previewWidth = (next: number) =>
    document.documentElement.style.setProperty("--sidebar-width", `${clampWidth(next)}px`);
  const draggedWidth = (event: PointerEvent) => {
    const start = drag.current;
    return start === null ? width : start.width + (isRightToLeft() ? start.x - event.clientX : event.clientX - start.x);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: <hr> is a static separator, but this one can be moved
    <div
      class="resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={t("nav.resize")}
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      tabIndex={0}
      onKeyDown={(event) => {
        const forward = isRightToLeft() ? "ArrowLeft" : "ArrowRight";
        const back = isRightToLeft() ? "ArrowRight" : "ArrowLeft";
        const next = { [forward]: width + STEP, [back]: width - STEP, Home: MIN_WIDTH, End: MAX_WIDTH }[event.key];
        if (next === undefined) return;
        event.preventDefault();
        setWidth(next);
      }}
      onDblClick={() => setWidth(DEFAULT_WIDTH)}
      onPointerDown={(event) => {
        drag.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
        document.documentElement.dataset.dragging = "";
      }}
      onPointerMove={(event) => {
        if (drag.current) previewWidth(draggedWidth(event));
      }}
      onPointerUp={(event) => {
        const next = draggedWidth(event);
        drag.current = null;
        delete document.documentElement.dataset.dragging;
        setWidth(next);
      }}
    />
  );
}

import type { PageConfig } from "../../../../schemas/shell/page.ts";
import { lazy } from "../shell/lazy.tsx";
import type { LayoutName, LocalSettings } from "../shell/settings.ts";

/** The layouts by name. Only the code of the active layout is loaded. */
export const layouts = {
  sidebar: lazy(async () => (await import("./sidebar.tsx")).SidebarLayout),
  "app-bar": lazy(async () => (await import("./app-bar.tsx")).AppBarLayout),
  fullscreen: lazy(async () => (await import("./fullscreen.tsx")).FullscreenLayout),
};

/** Returns the active layout. Developers can select another one. `windows` is not available yet, so `sidebar` is returned for it. */
export function layoutOf({ layout }: Pick<PageConfig, "layout">, settings: LocalSettings): LayoutName {
  const selected = settings.developerMode === true && settings.layout !== undefined ? settings.layout : layout;
  return selected === "windows" ? "sidebar" : selected;
}

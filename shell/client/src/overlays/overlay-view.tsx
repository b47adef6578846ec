import { useLayoutEffect, useRef } from "react";
import type { PageConfig } from "../../../../schemas/shell/page.ts";
import { Framed } from "../frames/framed.tsx";
import { useT } from "../i18n/use-t.ts";
import { type RouteAccess, routeAccess } from "../router/guard.ts";
import { builtInView, itemsOf, pathOf } from "../router/navigation.ts";
import { matchRoute, type Route } from "../router/routes.ts";
import { useShell } from "../shell/context.ts";
import { phaseOf, useSessionState, useViewer } from "../shell/viewer.ts";
import { useStore } from "../store.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { Blank } from "../ui/surfaces.tsx";
import { RouteView } from "../views/route-view.tsx";
import { stylesOf } from "./overlay-size.ts";
import type { Overlay } from "./overlays.ts";

/** Returns why a page was refused, with the host of its address if it has one. */
function refusalText(url: string, t: ReturnType<typeof useT>): string {
  const host = URL.canParse(url, location.origin) ? new URL(url, location.origin).host : "";
  return host === "" ? t("overlay.refusedText") : t("overlay.refusedHost", { host });
}

/** The open overlay. */
export function OverlayView({ overlay }: { overlay: Overlay }) {
  return <OverlayWindow key={overlay.id} overlay={overlay} />;
}

function OverlayWindow({ overlay }: { overlay: Overlay }) {
  const { overlays } = useShell();
  const { kind, title, dismissible, position } = overlay;
  const close = () => overlays.close();
  const content = <OverlayContent overlay={overlay} />;
  if (kind === "drawer")
    return (
      <Sheet title={title} side={position} class="overlay" dismissible={dismissible} onClose={close}>
        {content}
      </Sheet>
    );
  return (
    <Dialog title={title} class="overlay" dismissible={dismissible} onClose={close}>
      {content}
    </Dialog>
  );
}

/** Views of the shell that never appear inside an overlay. They open in a tab instead. */
const viewsInTab: readonly Route["view"][] = ["frame", "admin", "start", "login", "callback"];

/**
 * The shell is never framed. For an address of the shell itself, returns the route to render in the
 * overlay, and whether it opens. Returns "outside" if the view opens in a tab. Returns undefined for applications, and for files, whose
 * paths have an extension or a trailing slash.
 */
function useShellView({ target, item }: Overlay): { route: Route; access: RouteAccess } | "outside" | undefined {
  const { page } = useShell();
  const { config } = useStore(page);
  const phase = phaseOf(useSessionState());
  const viewer = useViewer();
  const path =
    target.kind === "view" ? target.path : target.kind === "frame" ? pathOfShell(config, target.url) : undefined;
  if (path === undefined || (target.kind === "frame" && item !== undefined)) return undefined;
  const route = matchRoute(config, item === undefined ? path : pathOf(item));
  if (route.view === "not-found") return { route, access: "open" };
  const access = routeAccess(route, phase, viewer);
  // A sign-in would close the overlay, so the overlay shows the error view, which links to the sign-in.
  if (access !== "open") return { route, access: access === "wait" ? "wait" : "refused" };
  return viewsInTab.includes(route.view) ? "outside" : { route, access };
}

/** Returns the path of a URL, or undefined if the URL is not a page of the shell itself. */
function pathOfShell(config: PageConfig, url: string): string | undefined {
  const { origin, pathname } = new URL(url);
  if (origin !== location.origin || /\.[^/]*$|\/$/.test(pathname) || isApplication(config, pathname)) return undefined;
  return pathname;
}

/** Returns whether an item, the administration or the storage has an application at this path of the shell's origin. */
function isApplication({ navigation, backend, storage }: PageConfig, pathname: string): boolean {
  const items = itemsOf(navigation).flatMap(({ item: { url } }) => (builtInView(url) === undefined ? url : []));
  return [...items, backend?.adminUrl, storage?.url, storage?.filesUrl].some((url) => {
    if (url === undefined || !URL.canParse(url, location.origin)) return false;
    const appUrl = new URL(url, location.origin);
    if (appUrl.origin !== location.origin) return false;
    return pathname === appUrl.pathname || pathname.startsWith(appUrl.pathname.replace(/\/?$/, "/"));
  });
}

function OverlayContent({ overlay }: { overlay: Overlay }) {
  const t = useT();
  const ref = useRef<HTMLDivElement>(null);
  const { kind, position, size, target, title, speaker, level, item, requestedSize, id } = overlay;
  const shellView = useShellView(overlay);
  // The styles are set by script, because the content security policy forbids inline styles.
  useLayoutEffect(() => {
    const content = ref.current;
    const { window: outer, content: inner } = stylesOf(overlay);
    for (const [name, value] of Object.entries(outer)) content?.closest("dialog")?.style.setProperty(name, value);
    for (const [name, value] of Object.entries(inner)) content?.style.setProperty(name, value);
  }, [kind, position, size, requestedSize]);
  return (
    <div ref={ref} class="overlay-room">
      {typeof shellView === "object" ? (
        <RouteView {...shellView} />
      ) : target.kind === "frame" && shellView === undefined ? (
        <Framed
          spec={{
            kind: "overlay",
            key: item?.path ?? `overlay:${id}`,
            label: title,
            speaker,
            url: target.url,
            level,
            permissions: item?.permissions,
            sandbox: item?.sandbox,
          }}
        />
      ) : (
        <Blank
          icon="shield"
          level="h2"
          title={t("overlay.refused")}
          actions={
            target.kind !== "refused" || /^https?:\/\//i.test(overlay.url) ? (
              <a
                class="button secondary"
                href={target.kind === "frame" ? target.url : overlay.url}
                target="_blank"
                rel="noopener noreferrer"
              >
                <span>{t("common.openTab")}</span>
                <Icon name="arrow-up-right" />
              </a>
            ) : undefined
          }
        >
          {shellView === undefined ? refusalText(overlay.url, t) : undefined}
        </Blank>
      )}
    </div>
  );
}

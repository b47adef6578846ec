import { useLayoutEffect, useRef } from "react";
import type { PageConfig } from "../../../../schemas/shell/page.ts";
import { Framed } from "../frames/framed.tsx";
import { useT } from "../i18n/use-t.ts";
import { judge, type Verdict } from "../router/guard.ts";
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

/** What stands over the page. */
export function OverlayView({ overlay }: { overlay: Overlay }) {
  return <Open key={overlay.id} overlay={overlay} />;
}

function Open({ overlay }: { overlay: Overlay }) {
  const { overlays } = useShell();
  const { kind, title, dismissible, position } = overlay;
  const close = () => overlays.close();
  const inside = <Inside overlay={overlay} />;
  if (kind === "drawer")
    return (
      <Sheet title={title} side={position} class="overlay" dismissible={dismissible} onClose={close}>
        {inside}
      </Sheet>
    );
  return (
    <Dialog title={title} class="overlay" dismissible={dismissible} onClose={close}>
      {inside}
    </Dialog>
  );
}

/** Views that are the shell around them: they open in a tab, never inside of it. */
const outside: readonly Route["view"][] = ["frame", "admin", "start", "login", "callback"];

/**
 * What the shell shows for an address of its own, which is never put into a frame: the view, or that it shows it nobody, or not this
 * person, else (`outside`) that it opens in a tab. Files of its origin have an ending or are folders, and applications on it are
 * what items name.
 */
function useShellView({ target, item }: Overlay): { route: Route; verdict: Verdict } | "outside" | undefined {
  const { page } = useShell();
  const { config } = useStore(page);
  const phase = phaseOf(useSessionState());
  const viewer = useViewer();
  const path =
    target.kind === "view" ? target.path : target.kind === "frame" ? pathOfShell(config, target.url) : undefined;
  if (path === undefined || (target.kind === "frame" && item !== undefined)) return undefined;
  const route = matchRoute(config, item === undefined ? path : pathOf(item));
  if (route.view === "not-found") return { route, verdict: "open" };
  const verdict = judge(route, phase, viewer);
  // The sign-in comes back to the page below; the view of a refusal leads there.
  if (verdict !== "open") return { route, verdict: verdict === "wait" ? "wait" : "refused" };
  return outside.includes(route.view) ? "outside" : { route, verdict };
}

/** The path of an address that the shell itself answers. */
function pathOfShell(config: PageConfig, url: string): string | undefined {
  const { origin, pathname } = new URL(url);
  if (origin !== location.origin || /\.[^/]*$|\/$/.test(pathname) || isApplication(config, pathname)) return undefined;
  return pathname;
}

/** Whether something else than the shell is served there, on its own origin: the application of an item, the admin's, files. */
function isApplication({ navigation, backend, storage }: PageConfig, pathname: string): boolean {
  const items = itemsOf(navigation).flatMap(({ item: { url } }) => (builtInView(url) === undefined ? url : []));
  return [...items, backend?.adminUrl, storage?.url, storage?.filesUrl].some((url) => {
    if (url === undefined || !URL.canParse(url, location.origin)) return false;
    const appUrl = new URL(url, location.origin);
    if (appUrl.origin !== location.origin) return false;
    return pathname === appUrl.pathname || pathname.startsWith(appUrl.pathname.replace(/\/?$/, "/"));
  });
}

function Inside({ overlay }: { overlay: Overlay }) {
  const t = useT();
  const ref = useRef<HTMLDivElement>(null);
  const { kind, position, size, target, title, speaker, level, item, wished, id } = overlay;
  const shellView = useShellView(overlay);
  // Sizes are set by script: the content policy allows no styles inside the page.
  useLayoutEffect(() => {
    const content = ref.current;
    const { window: outer, content: inner } = stylesOf(overlay);
    for (const [name, value] of Object.entries(outer)) content?.closest("dialog")?.style.setProperty(name, value);
    for (const [name, value] of Object.entries(inner)) content?.style.setProperty(name, value);
  }, [kind, position, size, wished]);
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
          {shellView === undefined ? t("overlay.refusedText") : undefined}
        </Blank>
      )}
    </div>
  );
}

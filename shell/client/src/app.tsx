import { useEffect, useLayoutEffect } from "react";
import { FrameHost } from "./frames/frame-host.tsx";
import { useT } from "./i18n/use-t.ts";
import { layoutOf, layouts } from "./layouts/layouts.ts";
import { useRoute } from "./navigation/use-navigation.ts";
import { GlobalLayers } from "./overlays/global-layers.tsx";
import { type RouteAccess, routeAccess } from "./router/guard.ts";
import { loginAddress } from "./router/next.ts";
import { addressText } from "./router/router.ts";
import { type Route, startAddress } from "./router/routes.ts";
import { useShell } from "./shell/context.ts";
import { useFading } from "./shell/fade.ts";
import { lazy } from "./shell/lazy.tsx";
import { useFocusOnNavigation } from "./shell/use-focus.ts";
import { shellTitle } from "./shell/use-text.ts";
import { useDocumentTitle } from "./shell/use-view-title.ts";
import { phaseOf, useSessionState, useViewer } from "./shell/viewer.ts";
import { useStore } from "./store.ts";
import { LoginSkeleton } from "./views/login-skeleton.tsx";
import { RouteView } from "./views/route-view.tsx";

export const LoginView = lazy(async () => (await import("./login/login-view.tsx")).LoginView, LoginSkeleton);
export const CallbackView = lazy(async () => (await import("./login/callback-view.tsx")).CallbackView, LoginSkeleton);

/** The root component of the shell. */
export function App() {
  const { page, settings, language } = useShell();
  const { config } = useStore(page);
  const route = useRoute();
  const access = useRouteAccess(route);
  const title = useDocumentTitle(route);
  const { code, dir } = useStore(language);
  const localSettings = useStore(settings);
  const name = shellTitle(config.title);
  // The language is set in the same update as the text, because screen readers choose their voice by the language.
  useLayoutEffect(() => {
    document.documentElement.lang = code;
    document.documentElement.dir = dir;
    document.title = title === "" ? name : `${title} - ${name}`;
  }, [code, dir, title, name]);
  const Layout = layouts[layoutOf(config, localSettings)];
  return (
    <>
      {route.view === "login" ? (
        <LoginView />
      ) : route.view === "callback" ? (
        <CallbackView />
      ) : (
        <>
          <SkipLink />
          <Layout>
            <Content route={route} access={access} title={title} />
          </Layout>
        </>
      )}
      <GlobalLayers title={title} />
    </>
  );
}

/** The first focusable element. It moves the focus past the navigation to the view or the visible application. */
function SkipLink() {
  const { frames } = useShell();
  const t = useT();
  return (
    <button
      type="button"
      class="skip"
      onClick={() => (frames.current.get()?.element ?? document.getElementById("content"))?.focus()}
    >
      {t("nav.skip")}
    </button>
  );
}

type GuardedRoute = { route: Route; access: RouteAccess };

/** Returns whether a frame shows the route. Switching to a frame must not wait for a fade. */
const isFramed = ({ route, access }: GuardedRoute) =>
  (route.view === "frame" || route.view === "admin") && access === "open";
const isView = (guarded: GuardedRoute) =>
  !isFramed(guarded) && guarded.route.view !== "start" && guarded.access === "open";
const keyOfView = ({ route, access }: GuardedRoute) =>
  `${access} ${route.view} ${route.base} ${"rest" in route ? route.rest : ""}`;

/** The content of a layout: the kept-alive frames, and above them the view of the current address. */
function Content({ route: nextRoute, access: nextAccess, title }: GuardedRoute & { title: string }) {
  const displayed = useFading(
    "view",
    { route: nextRoute, access: nextAccess },
    keyOfView,
    (from, redirect) => isView(from) && isView(redirect),
  );
  const { route, access } = displayed;
  useFocusOnNavigation(route);
  const isFrame = isFramed(displayed);
  return (
    <main id="content" class="content" tabIndex={-1}>
      {isFrame ? (
        <h1 class="visually-hidden" tabIndex={-1}>
          {title}
        </h1>
      ) : (
        <RouteView route={route} access={access} />
      )}
      <FrameHost access={nextAccess} />
    </main>
  );
}

/**
 * Returns whether the route opens for the current user. Redirects `/` to the start page, and a route that needs a session to
 * the sign-in page.
 */
function useRouteAccess(route: Route): RouteAccess {
  const { page, router } = useShell();
  const viewer = useViewer();
  const state = useSessionState();
  const { config } = useStore(page);
  const access = routeAccess(route, phaseOf(state), viewer);
  const isWaiting = route.view === "start" && state.status === "loading";
  const to =
    route.view === "start" && !isWaiting
      ? startAddress(config, viewer)
      : access === "sign-in"
        ? loginAddress(addressText(router.get()))
        : undefined;
  useEffect(() => {
    if (to !== undefined) router.navigate(to, { replace: true });
  }, [to, router]);
  return access;
}

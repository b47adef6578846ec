import { useT } from "../i18n/use-t.ts";
import type { RouteAccess } from "../router/guard.ts";
import type { Route } from "../router/routes.ts";
import { lazy } from "../shell/lazy.tsx";
import { Skeleton } from "../ui/surfaces.tsx";
import "./views.css";

const Settings = lazy(async () => (await import("../settings/settings.tsx")).Settings, ViewSkeleton);
const Legal = lazy(async () => (await import("./legal.tsx")).Legal, ViewSkeleton);
const Welcome = lazy(async () => (await import("./welcome.tsx")).Welcome, ViewSkeleton);
const Diagnostics = lazy(async () => (await import("./diagnostics.tsx")).Diagnostics, ViewSkeleton);
const ConsentPage = lazy(async () => (await import("../consent/consent-page.tsx")).ConsentPage, ViewSkeleton);
const NotFound = lazy(async () => (await import("./not-found.tsx")).NotFound);
const NoAccess = lazy(async () => (await import("./no-access.tsx")).NoAccess);

const parts: Partial<Record<Route["view"], { preload: () => Promise<void> }>> = {
  settings: Settings,
  legal: Legal,
  welcome: Welcome,
  diagnostics: Diagnostics,
  consent: ConsentPage,
  "not-found": NotFound,
};

/** Starts loading the code of a view. */
export const preloadView = (view: Route["view"]): void => void parts[view]?.preload();

/** The built-in view of a route. */
export function RouteView({ route, access }: { route: Route; access: RouteAccess }) {
  if (access === "refused") return <NoAccess />;
  if (access !== "open") return <ViewSkeleton />;
  switch (route.view) {
    case "settings":
      return <Settings base={route.base} section={route.rest} />;
    case "legal":
      return <Legal base={route.base} document={route.rest} />;
    case "welcome":
      return <Welcome />;
    case "diagnostics":
      return <Diagnostics />;
    case "consent":
      return <ConsentPage />;
    case "not-found":
      return <NotFound />;
    default:
      return null;
  }
}

/** Placeholder of a loading view. */
export function ViewSkeleton() {
  const t = useT();
  return (
    <div class="view" aria-busy="true">
      <span class="visually-hidden">{t("common.loading")}</span>
      <Skeleton width={180} height={24} />
      <div class="view-lines" aria-hidden="true">
        <Skeleton width={520} />
        <Skeleton width={440} />
      </div>
    </div>
  );
}

import type { PageItem } from "../../../../schemas/shell/page.ts";
import { canOpen, type Viewer } from "./navigation.ts";
import type { Route } from "./routes.ts";

/** Whether a view opens: now, after the session has loaded, after a sign-in, or not for this user. */
export type RouteAccess = "open" | "wait" | "sign-in" | "refused";

/** State of the session: no backend, loading, signed in, or signed out. */
export type SessionPhase = "none" | "waiting" | "in" | "out";

/**
 * Returns whether a route opens. Without a backend, the sign-in page explains why a route that needs a session does not open.
 */
export function routeAccess(route: Route, phase: SessionPhase, viewer: Viewer): RouteAccess {
  if (route.view === "admin") {
    if (phase === "waiting") return "wait";
    if (phase !== "in") return "sign-in";
    return viewer.isStaff || viewer.isCompanyOwner ? "open" : "refused";
  }
  for (const item of [route.item, route.view === "settings" ? route.panel : undefined]) {
    const access = item === undefined ? "open" : itemAccess(item, phase, viewer);
    if (access !== "open") return access;
  }
  if (!isPersonal(route)) return "open";
  return phase === "waiting" ? "wait" : phase === "out" ? "sign-in" : "open";
}

/** Returns whether a route is a settings section that requires a session. */
const isPersonal = (route: Route) =>
  route.view === "settings" && (route.rest === "account" || route.rest === "storage");

/** Returns how an item opens: as configured if the user may open it, else at its own address, which shows the reason. */
export const openingOf = (item: PageItem, phase: SessionPhase, viewer: Viewer): PageItem["openIn"] =>
  itemAccess(item, phase, viewer) === "open" ? item.openIn : "default";

function itemAccess(item: PageItem, phase: SessionPhase, viewer: Viewer): RouteAccess {
  if (item.requiresAuth && phase === "waiting") return "wait";
  if (item.requiresAuth && phase !== "in") return "sign-in";
  if (canOpen(item, viewer)) return "open";
  return phase === "waiting" ? "wait" : "refused";
}

import type { PageItem } from "../../../../schemas/shell/page.ts";
import { mayOpen, type Viewer } from "./navigation.ts";
import type { Route } from "./routes.ts";

/** What stands between a person and a view: nothing, a session that is on its way, a sign-in, or a refusal. */
export type Verdict = "open" | "wait" | "sign-in" | "refused";

/** How far the session is. */
export type SessionPhase = "none" | "waiting" | "in" | "out";

/** Judges an address. Without a backend nobody is ever signed in, so what asks for it leads to the sign-in, which says so. */
export function judge(route: Route, phase: SessionPhase, viewer: Viewer): Verdict {
  if (route.view === "admin") {
    if (phase === "waiting") return "wait";
    if (phase !== "in") return "sign-in";
    return viewer.isStaff || viewer.isCompanyOwner ? "open" : "refused";
  }
  for (const item of [route.item, route.view === "settings" ? route.panel : undefined]) {
    const verdict = item === undefined ? "open" : judgeItem(item, phase, viewer);
    if (verdict !== "open") return verdict;
  }
  if (!isPersonal(route)) return "open";
  return phase === "waiting" ? "wait" : phase === "out" ? "sign-in" : "open";
}

/** Sections of the settings that somebody who is signed in has alone; without a backend nobody has them. */
const isPersonal = (route: Route) =>
  route.view === "settings" && (route.rest === "account" || route.rest === "storage");

/** How an item opens for a person: as it is set once they may open it, else at its address, which says what stands before it. */
export const openingOf = (item: PageItem, phase: SessionPhase, viewer: Viewer): PageItem["openIn"] =>
  judgeItem(item, phase, viewer) === "open" ? item.openIn : "default";

function judgeItem(item: PageItem, phase: SessionPhase, viewer: Viewer): Verdict {
  if (item.requiresAuth && phase === "waiting") return "wait";
  if (item.requiresAuth && phase !== "in") return "sign-in";
  if (mayOpen(item, viewer)) return "open";
  return phase === "waiting" ? "wait" : "refused";
}

import { isGroup, type PageEntry, type PageGroup, type PageItem } from "../../../../schemas/shell/page.ts";

/** The properties of the current user that the navigation uses. They only affect the display; services authorize requests. */
export type Viewer = {
  signedIn: boolean;
  isStaff: boolean;
  isCompanyOwner: boolean;
  groups: readonly string[];
  developer: boolean;
};

export const signedOutViewer: Viewer = {
  signedIn: false,
  isStaff: false,
  isCompanyOwner: false,
  groups: [],
  developer: false,
};

/** Returns whether the user may open an item, by staff status, ownership, groups and developer mode. */
export function canOpen(item: PageItem, viewer: Viewer): boolean {
  if (item.requiresStaff && !viewer.isStaff) return false;
  if (item.requiresOwner && !viewer.isCompanyOwner) return false;
  if (item.requiresDevMode && !viewer.developer) return false;
  return item.requiresGroups === undefined || item.requiresGroups.some((group) => viewer.groups.includes(group));
}

/** Returns whether an item is listed. Only CSS hides items by screen size, so that the first paint fits every width. */
export function isListed(item: PageItem, viewer: Viewer): boolean {
  return !item.hidden && !(item.hideWhenLoggedOut && !viewer.signedIn) && canOpen(item, viewer);
}

/** Returns every item in order, with the groups that contain it. */
export function itemsOf(
  entries: readonly PageEntry[],
  groups: readonly PageGroup[] = [],
): { item: PageItem; groups: readonly PageGroup[] }[] {
  return entries.flatMap((entry) =>
    isGroup(entry) ? itemsOf(entry.items, [...groups, entry]) : [{ item: entry, groups }],
  );
}

/** Returns the entries listed for a user, without empty groups. */
export function listedEntries(entries: readonly PageEntry[], viewer: Viewer): PageEntry[] {
  return entries.flatMap((entry): PageEntry[] => {
    if (!isGroup(entry)) return isListed(entry, viewer) ? [entry] : [];
    const items = listedEntries(entry.items, viewer);
    return items.length === 0 ? [] : [{ ...entry, items }];
  });
}

/** Returns the shell address of an item. */
export const pathOf = (item: Pick<PageItem, "path">): string => `/${item.path}`;

const legalPaths = new Set(["privacy-policy", "terms-of-service", "legal-notice", "data-processing-agreement"]);

/** Returns the built-in view for an item's `url`, and the rest of the path. Returns undefined for an application. */
export function builtInView(
  url: string,
): { view: "settings" | "welcome" | "legal" | "login"; rest: string } | undefined {
  const path = url.split(/[?#]/)[0] ?? "";
  const subPathOf = (root: string) => path.slice(root.length).replace(/^\/|\/$/g, "");
  if (path === "/__settings" || path.startsWith("/__settings/"))
    return { view: "settings", rest: subPathOf("/__settings") };
  if (path === "/legal" || legalPaths.has(subPathOf("/legal"))) return { view: "legal", rest: subPathOf("/legal") };
  if (path === "/login") return { view: "login", rest: "" };
  // The shell is never framed inside itself.
  if (path === "/" || path.startsWith("/__")) return { view: "welcome", rest: "" };
  return undefined;
}

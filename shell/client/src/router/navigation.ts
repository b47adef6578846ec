import { isGroup, type PageEntry, type PageGroup, type PageItem } from "../../../../schemas/shell/page.ts";

/** What the navigation has to know of the person in front of it. It shapes the view alone; services decide. */
export type Viewer = {
  signedIn: boolean;
  isStaff: boolean;
  isCompanyOwner: boolean;
  groups: readonly string[];
  developer: boolean;
};

export const nobody: Viewer = { signedIn: false, isStaff: false, isCompanyOwner: false, groups: [], developer: false };

/** Whether the person may see an item as far as staff, ownership, groups and developer mode go. */
export function mayOpen(item: PageItem, viewer: Viewer): boolean {
  if (item.requiresStaff && !viewer.isStaff) return false;
  if (item.requiresOwner && !viewer.isCompanyOwner) return false;
  if (item.requiresDevMode && !viewer.developer) return false;
  return item.requiresGroups === undefined || item.requiresGroups.some((group) => viewer.groups.includes(group));
}

/** Whether an item is listed. Screens differ by style, so that the first paint suits every width. */
export function isListed(item: PageItem, viewer: Viewer): boolean {
  return !item.hidden && !(item.hideWhenLoggedOut && !viewer.signedIn) && mayOpen(item, viewer);
}

/** Every item of the navigation in its order, with the groups around it. */
export function itemsOf(
  entries: readonly PageEntry[],
  groups: readonly PageGroup[] = [],
): { item: PageItem; groups: readonly PageGroup[] }[] {
  return entries.flatMap((entry) =>
    isGroup(entry) ? itemsOf(entry.items, [...groups, entry]) : [{ item: entry, groups }],
  );
}

/** The entries that are listed for a person; groups without any are left out. */
export function listedEntries(entries: readonly PageEntry[], viewer: Viewer): PageEntry[] {
  return entries.flatMap((entry): PageEntry[] => {
    if (!isGroup(entry)) return isListed(entry, viewer) ? [entry] : [];
    const items = listedEntries(entry.items, viewer);
    return items.length === 0 ? [] : [{ ...entry, items }];
  });
}

/** Address of an item in the shell. */
export const pathOf = (item: Pick<PageItem, "path">): string => `/${item.path}`;

const legalPaths = new Set(["privacy-policy", "terms-of-service", "legal-notice", "data-processing-agreement"]);

/** The view of the shell that an item's `url` names, and what stands behind it; undefined for an application. */
export function builtInView(
  url: string,
): { view: "settings" | "welcome" | "legal" | "login"; rest: string } | undefined {
  const path = url.split(/[?#]/)[0] ?? "";
  const subPathOf = (root: string) => path.slice(root.length).replace(/^\/|\/$/g, "");
  if (path === "/__settings" || path.startsWith("/__settings/"))
    return { view: "settings", rest: subPathOf("/__settings") };
  if (path === "/legal" || legalPaths.has(subPathOf("/legal"))) return { view: "legal", rest: subPathOf("/legal") };
  if (path === "/login") return { view: "login", rest: "" };
  // The shell is never put into itself.
  if (path === "/" || path.startsWith("/__")) return { view: "welcome", rest: "" };
  return undefined;
}

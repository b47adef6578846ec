import type { PageItem } from "../../../../schemas/shell/page.ts";
import { itemsOf } from "../router/navigation.ts";
import type { Route } from "../router/routes.ts";
import type { Shell } from "../shell/shell.ts";
import { textOf } from "../shell/use-text.ts";
import type { Embedded } from "./address.ts";
import type { FrameSpec } from "./frame.ts";
import { levelOfItem } from "./trust.ts";

/** A route that a content frame shows. */
export type FrameRoute = Extract<Route, { view: "frame" | "admin" }>;

type Source = Pick<Shell, "page" | "language">;

/** Returns the item whose path is `key`, or undefined if there is none. */
export const itemOf = ({ page }: Pick<Shell, "page">, key: string): PageItem | undefined =>
  itemsOf(page.get().config.navigation).find(({ item }) => item.path === key)?.item;

/** Returns the specification of the frame that shows an item. */
export function itemSpec(shell: Source, item: PageItem): FrameSpec {
  return {
    kind: "content",
    key: item.path,
    label: textOf(shell as Shell, item.label),
    url: new URL(item.url, location.origin).href,
    level: levelOfItem(item),
    permissions: item.permissions,
    sandbox: item.sandbox,
  };
}

/** Returns the fields that map addresses of a route's application, or undefined if the route has no application. */
export function embeddedOf({ page }: Pick<Shell, "page">, route: FrameRoute): Embedded | undefined {
  if (route.view === "frame") return route.item;
  const url = page.get().config.backend?.adminUrl;
  return url === undefined ? undefined : { path: route.base, url, useHashRouter: url.includes("/#") };
}

/** Returns the specification of the frame that shows a route and loads `url`. */
export function specOf(shell: Source, route: FrameRoute, url: string): FrameSpec {
  if (route.view === "frame") return { ...itemSpec(shell, route.item), url };
  const label = shell.language.get().t("admin.title");
  return { kind: "content", key: route.base, label, url, level: "token", isAdmin: true };
}

/** Returns whether the item of a frame was removed, or its trust level, origin, permissions or sandbox changed. */
export function isStale(shell: Source, frame: FrameSpec & { origin: string }): boolean {
  const item = itemOf(shell, frame.key);
  if (item === undefined) return true;
  const currentSpec = itemSpec(shell, item);
  const isSameList = (first: readonly string[] = [], second: readonly string[] = []) => first.join() === second.join();
  const hasSameTrust = currentSpec.level === frame.level && new URL(currentSpec.url).origin === frame.origin;
  return (
    !hasSameTrust ||
    !isSameList(currentSpec.permissions, frame.permissions) ||
    !isSameList(currentSpec.sandbox, frame.sandbox)
  );
}

/** Returns the label of a frame in the current language. */
export function labelOf(shell: Source, { key, label, isAdmin }: FrameSpec): string {
  if (isAdmin) return shell.language.get().t("admin.title");
  const item = itemOf(shell, key);
  return item === undefined ? label : textOf(shell as Shell, item.label);
}

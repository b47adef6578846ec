import type { PageData } from "../../schemas/shell/page.ts";
import type { ServedState } from "./respond.ts";

/** Keys of the configuration whose changes a page applies without reloading. */
const appliedKeys = new Set(["title", "navigation", "messages", "themes", "defaultTheme"]);

/**
 * Returns how connected pages must handle a change. A page keeps the content security policy that it was loaded with, so a
 * changed policy needs a reload.
 */
export function changeBetween(before: ServedState, now: ServedState): "none" | "apply" | "reload" {
  const changed = [
    ...changedKeys(before.page.config, now.page.config),
    ...changedKeys(withoutConfig(before.page), withoutConfig(now.page)),
  ];
  if (changed.length === 0) return "none";
  if (before.document.policy !== now.document.policy) return "reload";
  return changed.every((key) => appliedKeys.has(key)) ? "apply" : "reload";
}

function withoutConfig({ config: _config, ...page }: PageData): object {
  return page;
}

function changedKeys(before: object, now: object): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].filter((key) => JSON.stringify(Reflect.get(before, key)) !== JSON.stringify(Reflect.get(now, key)));
}

import type { ShellMessages, ShellSettings } from "../../../../schemas/shell/messages.ts";

type Patch = ShellMessages["PLATFORM_SETTINGS_UPDATED"]["patch"];

/** The keys of `next` that are other than in `last`; one that is gone is null. Undefined when nothing is. */
export function patchOf(last: Partial<ShellSettings>, next: Partial<ShellSettings>): Patch | undefined {
  const keys = [...new Set([...Object.keys(last), ...Object.keys(next)])] as (keyof ShellSettings)[];
  const changed = keys.filter((key) => JSON.stringify(last[key]) !== JSON.stringify(next[key]));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((key) => [key, next[key] ?? null]));
}

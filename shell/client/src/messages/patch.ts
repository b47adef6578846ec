import type { ShellMessages, ShellSettings } from "../../../../schemas/shell/messages.ts";

type Patch = ShellMessages["PLATFORM_SETTINGS_UPDATED"]["patch"];

/** Returns the changed keys of `next`, with null for removed keys. Returns undefined when nothing changed. */
export function patchOf(last: Partial<ShellSettings>, next: Partial<ShellSettings>): Patch | undefined {
  const keys = [...new Set([...Object.keys(last), ...Object.keys(next)])] as (keyof ShellSettings)[];
  const changed = keys.filter((key) => JSON.stringify(last[key]) !== JSON.stringify(next[key]));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((key) => [key, next[key] ?? null]));
}

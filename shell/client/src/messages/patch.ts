type Settings = Record<string, unknown>;

/** The keys of `next` that are other than in `last`; one that is gone is null. Undefined when nothing is. */
export function patchOf(last: Settings, next: Settings): Settings | undefined {
  const keys = [...new Set([...Object.keys(last), ...Object.keys(next)])];
  const changed = keys.filter((key) => JSON.stringify(last[key]) !== JSON.stringify(next[key]));
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((key) => [key, next[key] ?? null]));
}

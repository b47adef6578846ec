import type { Counter, Refusal, Usage } from "./sliding-window";

/** Scopes whose names are too many for an object each: `docs/decisions/count-rate-limits-in-durable-objects.md`. */
const SHARED_SCOPES = ["ip", "address"];
const SHARED_OBJECTS = 64;

/** What kind of thing a name is of, without its id. */
export function scopeOf(name: string): string {
  return name.split(":", 1)[0] ?? "";
}

/** The name of the object that counts a name: its own, or one of the shared ones. */
export function objectOf(name: string): string {
  return SHARED_SCOPES.includes(scopeOf(name)) ? `shared:${hashOf(name) % SHARED_OBJECTS}` : name;
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A key of counters as it is told apart from that of other names; no key has a line break. */
export function namedKey(name: string, key: string): string {
  return `${name}\n${key}`;
}

/** The key that a caller asked with. */
export function bareKey(named: string): string {
  return named.slice(named.indexOf("\n") + 1);
}

/** Counters of a name. */
export function withName(name: string, counters: readonly Counter[]): Counter[] {
  return counters.map((counter) => ({ ...counter, key: namedKey(name, counter.key) }));
}

/** A decision with the keys that the caller asked with. */
export function withoutName<D extends { ok: true; usage: Usage[] } | Refusal>(decision: D): D {
  if (decision.ok) {
    return { ...decision, usage: decision.usage.map((entry) => ({ ...entry, key: bareKey(entry.key) })) };
  }
  return { ...decision, key: bareKey(decision.key), refusedKeys: decision.refusedKeys.map(bareKey) };
}

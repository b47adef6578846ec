import type { Counter, Refusal, Usage } from "./sliding-window";

/** Scopes with so many names that they share objects: `docs/decisions/count-rate-limits-in-durable-objects.md`. */
const SHARED_SCOPES = ["ip", "address"];
const SHARED_OBJECTS = 64;

/** Returns the scope of a name, which is the part without the id. */
export function scopeOf(name: string): string {
  return name.split(":", 1)[0] ?? "";
}

/** Returns the name of the object that counts a name: an object of its own, or one of the shared objects. */
export function objectOf(name: string): string {
  return SHARED_SCOPES.includes(scopeOf(name)) ? `shared:${hashOf(name) % SHARED_OBJECTS}` : name;
}

/** Returns the 32-bit FNV-1a hash of a text. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** Returns a counter key that is unique among the names that share an object. Keys contain no line break. */
export function qualifiedKey(name: string, key: string): string {
  return `${name}\n${key}`;
}

/** Returns the key as the caller passed it. */
export function unqualifiedKey(qualified: string): string {
  return qualified.slice(qualified.indexOf("\n") + 1);
}

/** Returns the counters with keys that include the name. */
export function withName(name: string, counters: readonly Counter[]): Counter[] {
  return counters.map((counter) => ({ ...counter, key: qualifiedKey(name, counter.key) }));
}

/** Returns a decision with the keys as the caller passed them. */
export function withoutName<D extends { ok: true; usage: Usage[] } | Refusal>(decision: D): D {
  if (decision.ok) {
    return { ...decision, usage: decision.usage.map((entry) => ({ ...entry, key: unqualifiedKey(entry.key) })) };
  }
  return { ...decision, key: unqualifiedKey(decision.key), refusedKeys: decision.refusedKeys.map(unqualifiedKey) };
}

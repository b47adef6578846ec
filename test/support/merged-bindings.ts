/**
 * Returns a function that merges changes into the bindings of a Worker. The same changes result in the same object, because a Worker
 * reads its settings and imports its keys once for each object.
 */
export function mergeOnce<B extends object>(bindings: B): (changes: Partial<B> | undefined) => B {
  const merged = new WeakMap<object, B>();
  return (changes) => {
    if (changes === undefined) return bindings;
    const env = merged.get(changes) ?? { ...bindings, ...changes };
    merged.set(changes, env);
    return env;
  };
}

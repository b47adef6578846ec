/**
 * Returns `create`, memoized by its text arguments for the life of the isolate. Meant for Intl formatters, which cost far
 * more to create than to use. Clears the cache instead of storing more than `maxEntries` entries.
 */
export function memoizePerIsolate<Args extends readonly string[], T extends object>(
  maxEntries: number,
  create: (...args: Args) => T,
): (...args: Args) => T {
  const values = new Map<string, T>();
  return (...args) => {
    const key = args.join("\n");
    const cached = values.get(key);
    if (cached !== undefined) return cached;
    const value = create(...args);
    if (values.size >= maxEntries) values.clear();
    values.set(key, value);
    return value;
  };
}

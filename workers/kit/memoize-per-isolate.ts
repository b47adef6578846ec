/**
 * Returns `make`, memoized by its text arguments for the life of the isolate. Meant for Intl formatters, which cost far
 * more to create than to use. Clears the cache instead of storing more than `most` entries.
 */
export function memoizePerIsolate<Of extends readonly string[], T extends object>(
  most: number,
  make: (...of: Of) => T,
): (...of: Of) => T {
  const values = new Map<string, T>();
  return (...of) => {
    const key = of.join("\n");
    const cached = values.get(key);
    if (cached !== undefined) return cached;
    const value = make(...of);
    if (values.size >= most) values.clear();
    values.set(key, value);
    return value;
  };
}

/**
 * Memoizes `make` by its text arguments for the life of the isolate, for Intl formatters, which cost far more to create
 * than to use. Clears the cache before it exceeds `most` entries.
 */
export function keepMade<Of extends readonly string[], T extends object>(
  most: number,
  make: (...of: Of) => T,
): (...of: Of) => T {
  const made = new Map<string, T>();
  return (...of) => {
    const key = of.join("\n");
    const kept = made.get(key);
    if (kept !== undefined) return kept;
    const value = make(...of);
    if (made.size >= most) made.clear();
    made.set(key, value);
    return value;
  };
}

/**
 * `make` by texts, which makes a value once in an isolate and keeps it: for formatters of Intl, whose making costs many times
 * their use. Before there are more than `most`, all are forgotten.
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

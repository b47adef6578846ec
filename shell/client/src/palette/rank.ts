/** Lower-cases a text and removes accents, for comparison. */
export const normalize = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * Returns how well a text matches. 3: the text begins with `typed`. 2: one of its words begins with `typed`. 1: the text
 * contains the letters of `typed` in this order. 0: no match.
 */
export function rank(text: string, typed: string): number {
  const query = normalize(typed.trim());
  const candidate = normalize(text);
  if (query === "" || candidate.startsWith(query)) return 3;
  if (candidate.split(/[\s/-]+/).some((word) => word.startsWith(query))) return 2;
  let position = -1;
  for (const letter of query.replace(/\s+/g, "")) {
    position = candidate.indexOf(letter, position + 1);
    if (position === -1) return 0;
  }
  return 1;
}

/** Returns the matching entries, best first. Entries that match equally well keep their order. */
export function ranked<Entry extends { text: string; keywords?: string }>(
  entries: readonly Entry[],
  typed: string,
): Entry[] {
  return entries
    .map((entry, index) => ({
      entry,
      index,
      value: Math.max(rank(entry.text, typed), entry.keywords ? rank(entry.keywords, typed) - 0.5 : 0),
    }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value || a.index - b.index)
    .map(({ entry }) => entry);
}

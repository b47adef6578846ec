/** Lower case, no accents: what is typed and what is looked for are compared so. */
export const folded = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** How well a text suits what was typed: 3 it begins so, 2 a word does, 1 the letters are in it in this order, 0 not at all. */
export function rank(text: string, typed: string): number {
  const wanted = folded(typed.trim());
  const offered = folded(text);
  if (wanted === "" || offered.startsWith(wanted)) return 3;
  if (offered.split(/[\s/-]+/).some((word) => word.startsWith(wanted))) return 2;
  let at = -1;
  for (const letter of wanted.replace(/\s+/g, "")) {
    at = offered.indexOf(letter, at + 1);
    if (at === -1) return 0;
  }
  return 1;
}

/** The entries that suit, best first; equal ones keep their order. */
export function ranked<Entry extends { text: string; words?: string }>(
  entries: readonly Entry[],
  typed: string,
): Entry[] {
  return entries
    .map((entry, at) => ({
      entry,
      at,
      value: Math.max(rank(entry.text, typed), entry.words ? rank(entry.words, typed) - 0.5 : 0),
    }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value || a.at - b.at)
    .map(({ entry }) => entry);
}

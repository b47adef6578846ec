/** The frames that leave so that at most `limit` stay out of sight, least recently used first. */
export function framesToEvict<Entry extends { visible: boolean; lastShownAt: number }>(
  frames: readonly Entry[],
  limit: number,
): Entry[] {
  const hidden = frames.filter(({ visible }) => !visible).toSorted((a, b) => b.lastShownAt - a.lastShownAt);
  return hidden.slice(limit);
}

/** Returns the frames to remove so that at most `limit` hidden frames remain: those that were shown longest ago. */
export function framesToEvict<Entry extends { visible: boolean; lastShownAt: number }>(
  frames: readonly Entry[],
  limit: number,
): Entry[] {
  const hidden = frames.filter(({ visible }) => !visible).toSorted((a, b) => b.lastShownAt - a.lastShownAt);
  return hidden.slice(limit);
}

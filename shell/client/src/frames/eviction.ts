/** Returns the hidden frames to remove, those shown longest ago, so that at most `limit` hidden frames are kept. */
export function framesToEvict<Entry extends { visible: boolean; lastShownAt: number }>(
  frames: readonly Entry[],
  limit: number,
): Entry[] {
  const hidden = frames.filter(({ visible }) => !visible).toSorted((a, b) => b.lastShownAt - a.lastShownAt);
  return hidden.slice(limit);
}

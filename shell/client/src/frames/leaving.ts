/** The frames that leave so that at most `limit` stay out of sight, least recently used first. */
export function leaving<Kept extends { visible: boolean; used: number }>(
  frames: readonly Kept[],
  limit: number,
): Kept[] {
  const hidden = frames.filter(({ visible }) => !visible).toSorted((a, b) => b.used - a.used);
  return hidden.slice(limit);
}

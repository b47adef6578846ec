/** Returns the items of a comma-separated query parameter; null when there are none, which means no filter. */
export function readCommaList(text: string | undefined): string[] | null {
  const items = (text ?? "").split(",").flatMap((word) => word.trim() || []);
  return items.length === 0 ? null : items;
}

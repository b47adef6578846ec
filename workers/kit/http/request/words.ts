/** Returns the items of a comma separated query parameter; null when there are none, which means no filter. */
export function readWords(text: string | undefined): string[] | null {
  const words = (text ?? "").split(",").flatMap((word) => word.trim() || []);
  return words.length === 0 ? null : words;
}

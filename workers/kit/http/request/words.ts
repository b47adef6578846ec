/** The words of a comma list in a query; null for none: it filters nothing. */
export function readWords(text: string | undefined): string[] | null {
  const words = (text ?? "").split(",").flatMap((word) => word.trim() || []);
  return words.length === 0 ? null : words;
}

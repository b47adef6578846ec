// The phrases that `npm run check:prose` rejects in documents, comments and test titles. Add a phrase when reviews find it
// again.

/** The rejected phrases and their replacements. */
export const phrases: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\banew\b/i, "again, new"],
  [/\bwho(so)?ever\b/i, "anyone who, the caller"],
  [/\b(is|are|was|were|be|been) told\b/i, "is notified, receives, returns"],
  [/\btells? (what|who|whether|how)\b/i, "shows, returns, describes"],
  [/\bwhat becomes? of\b|\bwhat became of\b/i, "the result, the outcome"],
  [/\bof (its|their) own accord\b/i, "by itself"],
  [/\bhangs? on\b/i, "depends on"],
  [/\b(stands?|stood|standing) (behind|beside|in front of)\b/i, "follows, is next to"],
  [/\bcomes? beside\b/i, "is next to, is added to"],
  [/\bhears? of\b/i, "is notified of, receives"],
  [/\bby and by\b/i, "gradually"],
  [/\bwherefore\b|\bwhereupon\b|\bthereupon\b|\bthereof\b/i, "so, then"],
  [/\bOrNull\b/, "a name for the value"],
];

/** Lines that may contain the phrases, by file and a part of the line. */
export const exceptions: readonly (readonly [file: string, part: string])[] = [
  ["scripts/support/documents/prose-rules.ts", ""],
  ["test/unit/scripts/prose.test.ts", ""],
];

/** Folders whose text has not been rewritten yet. Only remove entries. */
export const uncheckedFolders: readonly string[] = [];

import { exceptions, phrases, uncheckedFolders } from "./prose-rules.ts";

/** A line that contains a phrase of the list. */
export type ProseFinding = { file: string; line: number; phrase: string; replacement: string };

// Test titles are checked; other strings are not.
const comment = /(?:^|\s)(?:\/\/|\/\*\*?|\*|#) (.*)$/;
const title = /\b(?:it|describe|test)(?:\.\w+)*\((?:.*?\)\()?\s*["'`](.*)["'`]/;

/** Returns the comment and test title of a source line, or "". */
function textOf(line: string): string {
  return [comment.exec(line)?.[1], title.exec(line)?.[1]].filter((part) => part !== undefined).join(" ");
}

/** Returns the rejected phrases in a file, in the order of its lines. Skips fenced code blocks of Markdown. */
export function checkProse(file: string, text: string): ProseFinding[] {
  if (uncheckedFolders.some((folder) => file === folder || file.startsWith(`${folder}/`))) return [];
  let isInCode = false;
  return text.split("\n").flatMap((line, index) => {
    const isMarkdown = file.endsWith(".md");
    if (isMarkdown && /^\s*```/.test(line)) isInCode = !isInCode;
    if (isInCode || exceptions.some(([path, part]) => path === file && line.includes(part))) return [];
    const prose = isMarkdown ? line : textOf(line);
    return phrases.flatMap(([pattern, replacement]) => {
      const phrase = pattern.exec(prose)?.[0];
      return phrase === undefined ? [] : [{ file, line: index + 1, phrase, replacement }];
    });
  });
}

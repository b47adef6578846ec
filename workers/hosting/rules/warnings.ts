/** The two files of a deployment with rules. Neither is served. */
export type RuleFile = "_headers" | "_redirects";

/** The paths of the two files. */
export const ruleFiles: readonly RuleFile[] = ["_headers", "_redirects"];

/** A line of `_headers` or `_redirects` that was ignored. Lines count from 1; line 0 stands for the whole file. */
export type RuleWarning = { file: RuleFile; line: number; text: string; reason: string };

/** Maximum number of warnings of a file. The last one says that there were more. */
const MAX_WARNINGS = 100;
const MAX_TEXT = 200;

/** The warnings about one file. */
export type Warnings = { add(line: number, text: string, reason: string): void; list: RuleWarning[] };

/** Returns an empty list of warnings about a file. It keeps at most 100 warnings, each with at most 200 characters of its line. */
export function collectWarnings(file: RuleFile): Warnings {
  const list: RuleWarning[] = [];
  return {
    list,
    add(line, text, reason) {
      if (list.length === MAX_WARNINGS) return;
      const isLast = list.length === MAX_WARNINGS - 1;
      const excerpt = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1).replace(/\p{Surrogate}$/u, "")}…` : text;
      list.push({ file, line, text: excerpt, reason: isLast ? `${reason} Further warnings are left out.` : reason });
    },
  };
}

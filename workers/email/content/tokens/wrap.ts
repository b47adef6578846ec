const MAX_COLUMNS = 78;
/** Maximum indent of continuation lines. It leaves at least half of a line for text. */
const MAX_INDENT = 39;
const LIST_MARKER = /^\s*(?:[-*]|\d+\.|>)\s+/;

/** Wraps one line at spaces. A word that is longer than a line, such as a URL, is not broken. */
function wrapLine(line: string): string {
  if (line.length <= MAX_COLUMNS) return line.trimEnd();
  const first = (LIST_MARKER.exec(line) ?? /^\s*/.exec(line))?.[0] ?? "";
  const indent = " ".repeat(Math.min(first.length, MAX_INDENT));
  const lines: string[] = [];
  let current = first;
  let isEmpty = true;
  for (const word of line.slice(first.length).split(/[ \t]+/)) {
    if (!isEmpty && current.length + 1 + word.length > MAX_COLUMNS) {
      lines.push(current);
      current = indent;
      isEmpty = true;
    }
    current += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  lines.push(current);
  return lines.map((wrapped) => wrapped.trimEnd()).join("\n");
}

/** Wraps plain text at 78 columns without breaking URLs, and collapses runs of empty lines into one. */
export function wrapText(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n").map(wrapLine).join("\n");
  return `${lines.replace(/\n{3,}/g, "\n\n").trim()}\n`;
}

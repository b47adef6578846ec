const MAX_COLUMNS = 78;
/** Further lines of a paragraph stand at most so far in: half of a line is left for words. */
const MAX_INDENT = 39;
const LIST_MARKER = /^\s*(?:[-*]|\d+\.|>)\s+/;

/** Wraps one line at spaces; a word longer than a line, such as a URL, stays whole on a line of its own. */
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

/** Plain text of at most 78 columns where no URL is broken; runs of empty lines become one. */
export function wrapText(text: string): string {
  const lines = text.replace(/\r\n?/g, "\n").split("\n").map(wrapLine).join("\n");
  return `${lines.replace(/\n{3,}/g, "\n\n").trim()}\n`;
}

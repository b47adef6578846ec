// Markdown as a tree, for legal documents. What looks like HTML is text; links lead to http, https, mailto and the own origin.

export type Inline =
  | string
  | { kind: "strong" | "em" | "code"; text: Inline[] }
  | { kind: "link"; href: string; text: Inline[] };

export type Block =
  | { kind: "heading"; level: number; text: Inline[] }
  | { kind: "paragraph"; text: Inline[] }
  | { kind: "list"; ordered: boolean; items: Inline[][] }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "code"; text: string }
  | { kind: "rule" };

/** The target of a link, when it may be one. */
export function safeTarget(href: string): string | undefined {
  const target = href.trim();
  if (/^(https?:\/\/|mailto:)[^\s]+$/i.test(target)) return target;
  return /^\/(?![/\\])[^\s]*$/.test(target) ? target : undefined;
}

const inlineRule =
  /`([^`]+)`|\*\*([^*]+(?:\*[^*]+\*[^*]*)*)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*|\b_([^_]+)_\b|\[([^\]]+)\]\(([^()\s]*(?:\([^()\s]*\))?[^()\s]*)(?:\s+"[^"]*")?\)|<?(https?:\/\/[^\s<>"')]*[^\s<>"').,;:!?])>?/;

/** Emphasis, code and links inside a line. */
export function parseInline(text: string): Inline[] {
  const found = inlineRule.exec(text);
  if (found === null) return text === "" ? [] : [text];
  const [whole, code, strong, strongToo, em, emToo, label, target, bare] = found;
  const before = text.slice(0, found.index);
  const rest = parseInline(text.slice(found.index + whole.length));
  const around = (inner: Inline[]): Inline[] => [...(before === "" ? [] : [before]), ...inner, ...rest];
  if (code !== undefined) return around([{ kind: "code", text: [code] }]);
  if (strong ?? strongToo) return around([{ kind: "strong", text: parseInline(strong ?? strongToo ?? "") }]);
  if (em ?? emToo) return around([{ kind: "em", text: parseInline(em ?? emToo ?? "") }]);
  if (bare !== undefined) return around([{ kind: "link", href: bare, text: [bare] }]);
  const href = safeTarget(target ?? "");
  const inner = parseInline(label ?? "");
  return around(href === undefined ? inner : [{ kind: "link", href, text: inner }]);
}

const listItem = /^ {0,3}(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
const cellsOf = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => parseInline(cell.trim()));
const isTableRule = (line: string | undefined) =>
  line?.includes("-") === true && /^[\s|:-]+$/.test(line) && line.includes("|");
const startsBlock = (line: string) =>
  /^\s*$|^ {0,3}(#{1,6}\s|>|```|([-*_])\s*(\2\s*){2,}$)/.test(line) || listItem.test(line);

/** The blocks of a document. */
export function parseMarkdown(source: string): Block[] {
  const lines = source.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  const takeWhile = (test: (line: string) => boolean) => {
    const from = at;
    while (at < lines.length && test(lines[at] ?? "")) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (line.trim() === "") at += 1;
    else if (heading) {
      blocks.push({ kind: "heading", level: heading[1]?.length ?? 1, text: parseInline(heading[2] ?? "") });
      at += 1;
    } else if (/^ {0,3}```/.test(line)) {
      at += 1;
      blocks.push({ kind: "code", text: takeWhile((next) => !/^ {0,3}```/.test(next)).join("\n") });
      at += 1;
    } else if (/^ {0,3}([-*_])\s*(\1\s*){2,}$/.test(line)) {
      blocks.push({ kind: "rule" });
      at += 1;
    } else if (/^ {0,3}>/.test(line)) {
      const inner = takeWhile((next) => /^ {0,3}>/.test(next)).map((next) => next.replace(/^ {0,3}> ?/, ""));
      blocks.push({ kind: "quote", blocks: parseMarkdown(inner.join("\n")) });
    } else if (listItem.test(line)) {
      const ordered = listItem.exec(line)?.[2] !== undefined;
      const items: string[] = [];
      for (const next of takeWhile((next) => listItem.test(next) || /^\s+\S/.test(next))) {
        const item = listItem.exec(next);
        if (item) items.push(item[3] ?? "");
        else items[items.length - 1] += ` ${next.trim()}`;
      }
      blocks.push({ kind: "list", ordered, items: items.map(parseInline) });
    } else if (line.includes("|") && isTableRule(lines[at + 1])) {
      at += 2;
      const rows = takeWhile((next) => next.includes("|") && next.trim() !== "");
      blocks.push({ kind: "table", head: cellsOf(line), rows: rows.map(cellsOf) });
    } else {
      at += 1;
      const more = takeWhile((next) => !startsBlock(next));
      blocks.push({ kind: "paragraph", text: parseInline([line, ...more].map((next) => next.trim()).join(" ")) });
    }
  }
  return blocks;
}

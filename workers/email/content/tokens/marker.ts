import { consumeBudget, type SizeBudget } from "./size";

/**
 * Marks enclose blocks that a mail may omit or repeat. `composeDocument` writes them and `substitute` removes them. Documents
 * cannot forge marks. In HTML, a mark is a comment, and every `<` of a document is escaped. In text, a mark is enclosed in
 * control characters, which are removed from the text of documents. Values are filled in after the marks are removed, so that
 * values cannot forge marks either.
 */

const START = "\u0002";
const END = "\u0003";

/** Removes control characters from a text, except tabs and line feeds. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, "");
}

/** Marks HTML that is omitted when all of the space-separated tokens are empty. */
export function htmlWhen(tokens: string, html: string): string {
  return `<!--{#when ${tokens}#}-->${html}<!--{#end#}-->`;
}

/** Marks HTML that is omitted when the token has a value. */
export function htmlUnless(token: string, html: string): string {
  return `<!--{#unless ${token}#}-->${html}<!--{#end#}-->`;
}

/** Marks HTML that is omitted when the (escaped) link target is not an allowed URL after its tokens are replaced. */
export function htmlLinked(escapedHref: string, html: string): string {
  return `<!--{#linked ${escapedHref}#}-->${html}<!--{#end#}-->`;
}

/** Marks HTML that is repeated for each item of a list. */
export function htmlEach(list: string, html: string): string {
  return `<!--{#each ${list}#}-->${html}<!--{#end#}-->`;
}

/** Marks text that is omitted when all of the space-separated tokens are empty. */
export function textWhen(tokens: string, text: string): string {
  return `${START}when ${tokens}${END}${text}${START}end${END}`;
}

/** Marks text that is omitted when the link target is not an allowed URL after its tokens are replaced. */
export function textLinked(href: string, text: string): string {
  return `${START}linked ${withoutControls(href)}${END}${text}${START}end${END}`;
}

/** Marks text that is repeated for each item of a list. */
export function textEach(list: string, text: string): string {
  return `${START}each ${list}${END}${text}${START}end${END}`;
}

/** Marks text in a repeated block that is omitted for the first item. */
export function textNext(text: string): string {
  return `${START}next${END}${text}${START}end${END}`;
}

const HTML_MARK = /<!--\{#(when|unless|linked|each|end)(?: ([^>]*?))?#\}-->/g;
const TEXT_MARK = new RegExp(`${START}(when|linked|each|next|end)(?: ([^${END}]*))?${END}`, "g");

/** Removes the marks from a text, but not the blocks that they enclose. */
export function withoutMarks(text: string): string {
  return text.replace(TEXT_MARK, "");
}

const OPEN_MARKS = new RegExp(`(?:${START}(?:when|linked) [^${END}]*${END})*$`);

/** Returns a line without the marks that begin at its end and enclose the next line, and these marks. */
export function splitOpenMarks(line: string): [line: string, marks: string] {
  const marks = OPEN_MARKS.exec(line)?.[0] ?? "";
  return [line.slice(0, line.length - marks.length), marks];
}

/** A marked block with its text and inner blocks. */
type Block = { kind: string; argument: string; parts: (string | Block)[] };

function parseMarks(source: string, part: "html" | "text"): Block {
  const root: Block = { kind: "", argument: "", parts: [] };
  const open = [root];
  let block = root;
  let position = 0;
  for (const match of source.matchAll(part === "html" ? HTML_MARK : TEXT_MARK)) {
    if (match.index > position) block.parts.push(source.slice(position, match.index));
    position = match.index + match[0].length;
    const [, kind = "", argument = ""] = match;
    if (kind === "end") {
      if (open.length > 1) open.pop();
    } else {
      const inner: Block = { kind, argument, parts: [] };
      block.parts.push(inner);
      open.push(inner);
    }
    block = open.at(-1) ?? root;
  }
  block.parts.push(source.slice(position));
  return root;
}

/** How marks read the values of a mail. `S` is the scope: the values that are visible to a block. */
export interface MarkTests<S> {
  /** Returns whether a token of a `when` or `unless` mark has a value. */
  when: (token: string, scope: S) => boolean;
  /** Returns whether the link target of a `linked` mark becomes an allowed URL. In HTML, the target is escaped. */
  linked: (href: string, scope: S) => boolean;
  /** Returns the scope of each item of a list. */
  each: (list: string) => readonly S[];
}

/** A part of a template without marks, and the scope of its tokens. */
export type Piece<S> = { text: string; scope: S };

/**
 * Removes all marks, omits the blocks whose test fails, and repeats the blocks of lists. Blocks may be nested, except those of
 * lists. The text of repeated blocks counts towards the budget; the result is incomplete when the budget is exhausted.
 */
export function resolveMarks<S>(
  source: string,
  part: "html" | "text",
  scope: S,
  tests: MarkTests<S>,
  budget: SizeBudget,
): Piece<S>[] {
  const pieces: Piece<S>[] = [];
  const add = (text: string, scope: S) => {
    const last = pieces.at(-1);
    if (last?.scope === scope) last.text += text;
    else pieces.push({ text, scope });
  };
  const includes = ({ kind, argument }: Block, scope: S, isFirst: boolean): boolean => {
    if (kind === "linked") return tests.linked(argument, scope);
    if (kind === "next") return !isFirst;
    return argument.split(" ").some((token) => tests.when(token, scope)) === (kind === "when");
  };
  const repeat = (block: Block) => {
    tests.each(block.argument).forEach((item, index) => {
      if (budget.left >= 0) write(block, item, { isRepeated: true, isFirst: index === 0 });
    });
  };
  const write = (block: Block, scope: S, place: { isRepeated: boolean; isFirst: boolean }): void => {
    for (const inner of block.parts) {
      if (typeof inner === "string") add(place.isRepeated ? consumeBudget(budget, inner) : inner, scope);
      else if (inner.kind === "each") repeat(inner);
      else if (includes(inner, scope, place.isFirst)) write(inner, scope, place);
    }
  };
  write(parseMarks(source, part), scope, { isRepeated: false, isFirst: true });
  return pieces;
}

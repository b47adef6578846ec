/**
 * Marks enclose blocks that a mail may omit. `composeDocument` writes them and `substitute` removes them. Documents cannot
 * forge marks. In HTML, a mark is a comment, and every `<` of a document is escaped. In text, a mark is enclosed in control
 * characters, which are removed from the text of documents.
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

/** Marks text that is omitted when all of the space-separated tokens are empty. */
export function textWhen(tokens: string, text: string): string {
  return `${START}when ${tokens}${END}${text}${START}end${END}`;
}

/** Marks text that is omitted when the link target is not an allowed URL after its tokens are replaced. */
export function textLinked(href: string, text: string): string {
  return `${START}linked ${withoutControls(href)}${END}${text}${START}end${END}`;
}

const HTML_MARK = /<!--\{#(when|unless|linked|end)(?: ([^>]*?))?#\}-->/g;
const TEXT_MARK = new RegExp(`${START}(when|linked|end)(?: ([^${END}]*))?${END}`, "g");

export interface MarkTests {
  /** Returns whether a token of a `when` or `unless` mark has a value. */
  when: (token: string) => boolean;
  /** Returns whether the link target of a `linked` mark becomes an allowed URL. In HTML, the target is escaped. */
  linked: (href: string) => boolean;
}

/** Removes all marks, and the blocks whose test fails. Blocks may be nested. */
export function resolveMarks(source: string, part: "html" | "text", tests: MarkTests): string {
  const open: boolean[] = [];
  let result = "";
  let position = 0;
  for (const match of source.matchAll(part === "html" ? HTML_MARK : TEXT_MARK)) {
    if (!open.includes(false)) result += source.slice(position, match.index);
    position = match.index + match[0].length;
    const argument = match[2] ?? "";
    if (match[1] === "end") open.pop();
    else if (match[1] === "linked") open.push(tests.linked(argument));
    else open.push(argument.split(" ").some(tests.when) === (match[1] === "when"));
  }
  return open.includes(false) ? result : result + source.slice(position);
}

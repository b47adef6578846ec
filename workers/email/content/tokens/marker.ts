/**
 * Marks that composition leaves for substitution and that never reach a recipient.
 * Documents cannot forge them: in HTML a mark is a comment, and every `<` of a document is escaped; in text it stands
 * between control characters, which composition takes out of a document's text.
 */

const START = "\u0002";
const END = "\u0003";

/** Text of a document without control characters; tab and line end stay. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\t\n]/gu, "");
}

/** Wraps HTML that is left out when the token is empty; of several, parted by spaces, when all of them are. */
export function htmlWhen(tokens: string, html: string): string {
  return `<!--{#when ${tokens}#}-->${html}<!--{#end#}-->`;
}

/** Wraps HTML that is left out when the token has a value. */
export function htmlUnless(token: string, html: string): string {
  return `<!--{#unless ${token}#}-->${html}<!--{#end#}-->`;
}

/** Wraps HTML that is left out when the escaped link target turns out to be no allowed URL. */
export function htmlLinked(escapedHref: string, html: string): string {
  return `<!--{#linked ${escapedHref}#}-->${html}<!--{#end#}-->`;
}

/** Wraps text as htmlWhen does HTML. */
export function textWhen(tokens: string, text: string): string {
  return `${START}when ${tokens}${END}${text}${START}end${END}`;
}

/** Wraps text that is left out when the link target turns out to be no allowed URL. */
export function textLinked(href: string, text: string): string {
  return `${START}linked ${withoutControls(href)}${END}${text}${START}end${END}`;
}

const HTML_MARK = /<!--\{#(when|unless|linked|end)(?: ([^>]*?))?#\}-->/g;
const TEXT_MARK = new RegExp(`${START}(when|linked|end)(?: ([^${END}]*))?${END}`, "g");

export interface MarkTests {
  /** Whether a token of a `when` or `unless` mark has a value. */
  when: (token: string) => boolean;
  /** Whether the link target of a `linked` mark, a template in the form of its part, gives an allowed URL. */
  linked: (href: string) => boolean;
}

/** Removes every mark, and with it each block whose test fails; blocks nest. */
export function resolveMarks(source: string, part: "html" | "text", tests: MarkTests): string {
  const open: boolean[] = [];
  let marker = "";
  let position = 0;
  for (const match of source.matchAll(part === "html" ? HTML_MARK : TEXT_MARK)) {
    if (!open.includes(false)) marker += source.slice(position, match.index);
    position = match.index + match[0].length;
    const argument = match[2] ?? "";
    if (match[1] === "end") open.pop();
    else if (match[1] === "linked") open.push(tests.linked(argument));
    else open.push(argument.split(" ").some(tests.when) === (match[1] === "when"));
  }
  return open.includes(false) ? marker : marker + source.slice(position);
}

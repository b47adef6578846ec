/** An element of a mail. `children` are in document order; text is a string. */
export interface MailElement {
  tag: string;
  attributes: Record<string, string>;
  children: (MailElement | string)[];
}

const EMPTY = new Set(["br", "hr", "img", "meta"]);
const PIECE =
  /<!--[\s\S]*?-->|<!doctype[^>]*>|<style>[\s\S]*?<\/style>|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z][\w:-]*(?:="[^"]*")?)*)\s*>|[^<]+/gi;
const ATTRIBUTE = /([a-z][\w:-]*)(?:="([^"]*)")?/gi;
const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: "\u00a0",
  zwnj: "\u200c",
  "#847": "\u034f",
};

const decode = (text: string): string =>
  text.replace(/&([a-z]+|#\d+);/g, (entity, name: string) => ENTITIES[name] ?? entity);

/**
 * Parses the HTML of a mail strictly: elements must be closed in order. Throws an error with the first text that is not
 * valid. Ignores comments, including Outlook's conditional comments.
 */
export function readMail(html: string): MailElement {
  const root: MailElement = { tag: "", attributes: {}, children: [] };
  const open = [root];
  let position = 0;
  for (const match of html.matchAll(PIECE)) {
    if (match.index !== position) throw new Error(`not HTML: ${html.slice(position, position + 60)}`);
    position = match.index + match[0].length;
    const [piece, slash, name, written = ""] = match;
    const parent = open.at(-1) ?? root;
    if (name === undefined) {
      if (!piece.startsWith("<")) parent.children.push(decode(piece));
    } else if (slash === "/") {
      if (parent.tag !== name.toLowerCase()) throw new Error(`</${name}> closes <${parent.tag}>`);
      open.pop();
    } else {
      const attributes = Object.fromEntries(
        [...written.matchAll(ATTRIBUTE)].map(([, key = "", value = ""]) => [key.toLowerCase(), decode(value)]),
      );
      const element: MailElement = { tag: name.toLowerCase(), attributes, children: [] };
      parent.children.push(element);
      if (!EMPTY.has(element.tag)) open.push(element);
    }
  }
  if (position !== html.length) throw new Error(`not HTML: ${html.slice(position, position + 60)}`);
  if (open.length > 1) throw new Error(`<${open.at(-1)?.tag}> is not closed`);
  return root;
}

/** Yields all descendants in document order. */
export function* elementsOf(element: MailElement): Generator<MailElement> {
  for (const child of element.children) {
    if (typeof child === "string") continue;
    yield child;
    yield* elementsOf(child);
  }
}

/** Returns the declarations of a style by property. The last declaration of a property wins. */
export const declarationsOf = (style: string): Map<string, string> =>
  new Map(
    style.split(";").flatMap((declaration) => {
      const colon = declaration.indexOf(":");
      const value = declaration.slice(colon + 1).replace(/!important$/, "");
      return colon < 0 ? [] : [[declaration.slice(0, colon).trim(), value.trim()] as const];
    }),
  );

/** Returns the dark mode rules in the CSS of a mail, in order: the classes and declarations of each. */
export function darkRulesOf(html: string): [string[], Map<string, string>][] {
  const css = /prefers-color-scheme:dark\)\{((?:[^{}]*\{[^{}]*\})*)\}/.exec(html)?.[1] ?? "";
  return [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, selectors = "", body = ""]) => [
    selectors.split(",").map((selector) => selector.trim().slice(1)),
    declarationsOf(body),
  ]);
}

/** A visible text with its colour and background. */
export type VisibleText = { text: string; color: string; ground: string };

/** Returns the visible texts of a mail with their colours from inline styles and, in dark mode, from CSS rules. */
export function visibleTexts(html: string, isDark: boolean): VisibleText[] {
  const rules = isDark ? darkRulesOf(html) : [];
  const texts: VisibleText[] = [];
  const visit = (element: MailElement, above: { color: string; ground: string }): void => {
    const style = declarationsOf(element.attributes.style ?? "");
    if (style.get("display") === "none" || element.tag === "head") return;
    const classes = (element.attributes.class ?? "").split(/\s+/);
    for (const [names, declared] of rules) {
      if (names.some((name) => classes.includes(name))) for (const [key, value] of declared) style.set(key, value);
    }
    const colours = { color: style.get("color") ?? above.color, ground: style.get("background-color") ?? above.ground };
    for (const child of element.children) {
      if (typeof child !== "string") visit(child, colours);
      else if (child.trim() !== "") texts.push({ text: child.trim(), ...colours });
    }
  };
  visit(readMail(html), { color: "", ground: "" });
  return texts;
}

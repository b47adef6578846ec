// `npm run page-tokens`: writes the design tokens that pages outside of the shell use, from the shell's tokens, to
// schemas/look/page-tokens.ts. `--check` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8");
/** Pages with few rules: the offline page, and the page that a sign-in of the command line ends with. */
const smallPages = ["shell/client/sw/offline.css", "cli/account/loopback.ts"];
const source = read("schemas/look/tokens.css").replace(/\/\*[\s\S]*?\*\//g, "");

/** Returns the declarations of the rule that follows `start`, by name. Throws when the rule is missing. */
function declarationsAfter(start: string): Map<string, string> {
  const at = source.indexOf(start);
  if (at < 0) throw new Error(`schemas/look/tokens.css has no ${start}`);
  const rule = source.slice(source.indexOf("{", at + start.length - 1) + 1);
  const declarations = rule.slice(0, rule.indexOf("}")).matchAll(/([a-z0-9-]+):\s*([^;]+);/g);
  return new Map([...declarations].map(([, name = "", value = ""]) => [name, value.trim()]));
}

const light = declarationsAfter(":root {");
const dark = declarationsAfter(':root[data-scheme="dark"] {');
const coarse = declarationsAfter("@media (pointer: coarse) {\n  :root {");
const contrast = declarationsAfter("@media (prefers-contrast: more) {\n  :root {");

/** Returns the names of the tokens that the CSS uses, directly or through another token. */
function usedTokens(css: string, found = new Set<string>()): Set<string> {
  for (const [, name = ""] of css.matchAll(/var\((--[a-z0-9-]+)/g)) {
    if (found.has(name)) continue;
    const value = light.get(name);
    if (value === undefined) throw new Error(`schemas/look/tokens.css has no ${name}, which a page uses`);
    found.add(name);
    usedTokens(`${value} ${contrast.get(name) ?? ""}`, found);
  }
  return found;
}

const used = usedTokens(["workers/kit/pages/style.ts", ...smallPages].map(read).join("\n"));
const shorten = (value: string) => value.replace(/\s+/g, " ").replace(/, /g, ",").replace(/\b0\./g, ".");
const ruleOf = (tokens: Map<string, string>) =>
  `:root{${[...tokens]
    .filter(([name]) => used.has(name))
    .map(([name, value]) => `${name}:${shorten(value)}`)
    .join(";")}}`;

const css = [
  ruleOf(light).replace("{", "{color-scheme:light dark;"),
  `@media(prefers-color-scheme:dark){${ruleOf(dark)}}`,
  `@media(pointer:coarse){${ruleOf(coarse)}}`,
  `@media(prefers-contrast:more){${ruleOf(contrast)}}`,
].join("\n");
const text = `// Written by \`npm run page-tokens\` from schemas/look/tokens.css. Do not edit.

/** The design tokens of the shell that pages outside of it use, for both colour schemes. */
export const PAGE_TOKENS = \`${css}\`;
`;

const file = "schemas/look/page-tokens.ts";
const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
if (!process.argv.includes("--check")) writeFileSync(path, text);
else if (read(file) !== text) {
  console.error(`${file} is out of date: run \`npm run page-tokens\`.`);
  process.exitCode = 1;
}

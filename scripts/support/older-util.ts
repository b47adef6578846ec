// Replaces `node:util` in the packed command, because Node 20 before 20.12 has neither `parseEnv` nor `styleText`. The
// import without a scheme is Node's module, which the bundler does not replace.
// biome-ignore lint/style/useNodejsImportProtocol: the other name is the one that is replaced
import * as util from "util";

const line = /^[^\S\n]*(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*=[^\S\n]*("[^"]*"|'[^']*'|`[^`]*`|[^#\n]*)[^\n]*$/gm;

/** Parses a `.env` file like Node: quotes preserve spaces, lines and `#`; `\n` in double quotes is a new line. */
export function readEnvText(text: string): Record<string, string> {
  const entries = [...text.replace(/\r\n?/g, "\n").matchAll(line)].map(([, name = "", value = ""]) => {
    const quote = /^(["'`])([\s\S]*)\1$/.exec(value);
    const inner = quote?.[2] ?? value.trim();
    return [name, quote?.[1] === '"' ? inner.replaceAll("\\n", "\n") : inner];
  });
  return Object.fromEntries(entries);
}

export const { stripVTControlCharacters } = util;
export const parseEnv = util.parseEnv ?? readEnvText;
/** Returns text without colours if Node has no `styleText`. */
export const styleText = util.styleText ?? ((_format: unknown, text: string) => text);

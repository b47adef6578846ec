// Replaces `node:util` in the packed command, because Node 20 before 20.12 has neither `parseEnv` nor `styleText`. The
// bundler does not replace the import of `util`, so this file imports Node's own module.
// biome-ignore lint/style/useNodejsImportProtocol: the bundler replaces `node:util` with this file
import * as util from "util";

const line = /^[^\S\n]*(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*=[^\S\n]*("[^"]*"|'[^']*'|`[^`]*`|[^#\n]*)[^\n]*$/gm;

/** Parses a `.env` file like Node. Quotes preserve spaces, line breaks and `#`. `\n` in double quotes is a line break. */
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
/** Node's `styleText`, or a function that returns the text without colours. */
export const styleText = util.styleText ?? ((_format: unknown, text: string) => text);

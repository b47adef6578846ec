// What stands in the place of `node:util` in the packed command: Node 20 before 20.12 has neither `parseEnv` nor `styleText`. The
// name without a scheme is the module itself, which the packing leaves alone.
// biome-ignore lint/style/useNodejsImportProtocol: the other name is the one that is replaced
import * as util from "util";

const line = /^[^\S\n]*(?:export[^\S\n]+)?([\w.-]+)[^\S\n]*=[^\S\n]*("[^"]*"|'[^']*'|`[^`]*`|[^#\n]*)[^\n]*$/gm;

/** Variables of a `.env` file as Node's own reads them: quotes keep spaces, lines and `#`; in double ones `\n` is a new line. */
export function readEnvText(text: string): Record<string, string> {
  const found = [...text.replace(/\r\n?/g, "\n").matchAll(line)].map(([, name = "", value = ""]) => {
    const quote = /^(["'`])([\s\S]*)\1$/.exec(value);
    const inner = quote?.[2] ?? value.trim();
    return [name, quote?.[1] === '"' ? inner.replaceAll("\\n", "\n") : inner];
  });
  return Object.fromEntries(found);
}

export const { stripVTControlCharacters } = util;
export const parseEnv = util.parseEnv ?? readEnvText;
/** Without colours where there are none. */
export const styleText = util.styleText ?? ((_format: unknown, text: string) => text);

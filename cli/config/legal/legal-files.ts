import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ShellConfig } from "../../../schemas/shell/config.ts";
import type { LegalAddress } from "../../../schemas/shell/page.ts";

/** A document published with the page; `path` is relative to the root of the site. */
export type LegalFile = { path: string; text: string };
export type Legal = { files: LegalFile[]; addresses: Record<string, LegalAddress> };

/**
 * Returns a JSON file `{html}` for each legal document, and the addresses by document and language. File names contain a
 * content hash, so that browsers can cache the files.
 */
export async function makeLegalFiles(documents: ShellConfig["legalDocuments"], folder: string): Promise<Legal> {
  const files: LegalFile[] = [];
  const addresses: Record<string, LegalAddress> = {};
  if (documents === undefined) return { files, addresses };
  // The Markdown renderer is slow to load, so only configurations with documents load it.
  const { renderMarkdown } = await import("./markdown.ts");
  const addressOf = (name: string, text: string | { file: string }): string => {
    const source = typeof text === "string" ? text : readFileSync(resolve(folder, text.file), "utf8");
    const content = JSON.stringify({ html: renderMarkdown(source) });
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 10);
    const path = `assets/${name}-${hash}.json`;
    if (!files.some((file) => file.path === path)) files.push({ path, text: content });
    return `/${path}`;
  };
  for (const [name, document] of Object.entries(documents)) {
    if (document === undefined) continue;
    addresses[name] =
      typeof document === "string" || isFileName(document)
        ? addressOf(name, document)
        : Object.fromEntries(Object.entries(document).map(([tag, text]) => [tag, addressOf(name, text)]));
  }
  return { files, addresses };
}

function isFileName(document: object): document is { file: string } {
  return "file" in document && typeof document.file === "string";
}

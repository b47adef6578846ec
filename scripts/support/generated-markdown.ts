import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const escapeCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "\\<");

/** Returns a Markdown table that ends with a line feed; cells are escaped. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |\n`;
  return `${line(columns)}|${"---|".repeat(columns.length)}\n${rows.map(line).join("")}`;
}

/**
 * Writes a generated document. With `--check`, only compares it with the file, and sets exit code 1 if they differ.
 * @param path below the root of the repository
 * @param script the npm script that writes the file
 */
export function writeOrCheck(path: string, text: string, script: string): void {
  const target = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  if (!process.argv.includes("--check")) {
    writeFileSync(target, text);
  } else if (!existsSync(target) || readFileSync(target, "utf8") !== text) {
    console.error(`${path} is out of date. Run \`npm run ${script}\` and commit the result.`);
    process.exitCode = 1;
  }
}

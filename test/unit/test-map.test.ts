import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../", import.meta.url));
const map = readFileSync(`${folder}identity/README.md`, "utf8");
const token = /([a-z0-9]+\/[\w./-]+?\.test\.ts)|"([^"]+)"/g;

/** The files of a line, each with the titles named behind it. */
function readLine(line: string): { file: string; titles: string[] }[] {
  const files: { file: string; titles: string[] }[] = [];
  for (const [, file, title] of line.matchAll(token)) {
    if (file !== undefined) files.push({ file, titles: [] });
    else if (title !== undefined) files.at(-1)?.titles.push(title);
  }
  return files;
}

it("finds every test that the map of identity's details names", () => {
  const lines = map.split("\n").filter((line) => line.startsWith("| ") && line.includes(" | "));
  expect(lines.length).toBeGreaterThan(150);
  const missing = lines.flatMap(readLine).flatMap(({ file, titles }) => {
    if (!existsSync(folder + file)) return [file];
    const text = readFileSync(folder + file, "utf8");
    return titles.filter((title) => !text.includes(title)).map((title) => `${file}: ${title}`);
  });
  expect(missing).toEqual([]);
});

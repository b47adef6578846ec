import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Registers cleanup that runs at the end of the test. */
export type Cleanup = { onTestFinished: (end: () => void | Promise<void>) => unknown };

export type Files = Record<string, string>;

/** Creates a folder with files and deletes it after the test. A path that ends with a slash is an empty folder. */
export function makeProject({ onTestFinished }: Cleanup, files: Files): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "platform-cli-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(path.endsWith("/") ? file : dirname(file), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(file, text);
  }
}

// `npm run check:prose`: fails if documents, comments or test titles contain a phrase that
// scripts/support/documents/prose-rules.ts rejects.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkProse } from "./support/documents/prose.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const fileList = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
}).toString();
const files = fileList
  .split("\n")
  .filter((file) => /\.(md|tsx?|mjs|py|sh|toml)$/.test(file) && existsSync(join(root, file)));
const findings = files.flatMap((file) => checkProse(file, readFileSync(join(root, file), "utf8")));
for (const { file, line, phrase, replacement } of findings)
  console.error(`${file}:${line}: "${phrase}"; write: ${replacement}`);
if (findings.length > 0) process.exitCode = 1;

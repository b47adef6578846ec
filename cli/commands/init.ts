import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { configNames, isDirectory, isFile } from "../config/load/find.ts";
import { type Output, paint } from "./output.ts";

const sample = `export default {
  port: 3000,
  title: "My application",
  layout: "sidebar",
  language: ["en", "fr"],
  navigation: [
    {
      label: { en: "Home", fr: "Accueil" },
      path: "home",
      url: "/__welcome",
    },
    {
      label: { en: "Settings", fr: "Paramètres" },
      path: "settings",
      url: "/__settings",
      position: "end",
    },
  ],
};
`;

/** `platform init`: writes a sample configuration and adds `dist/` to .gitignore. Returns the exit code. */
export function runInit(
  { root, isForced }: { root: string | undefined; isForced: boolean },
  output: Output,
  cwd = process.cwd(),
): number {
  const folder = resolve(cwd, root ?? ".");
  if (existsSync(folder) && !isDirectory(folder)) {
    output.err(`error root-not-found: "${root ?? folder}" is a file.`);
    return 1;
  }
  mkdirSync(folder, { recursive: true });
  const existing = configNames.map((name) => join(folder, name)).find((file) => isFile(file));
  const file = existing ?? join(folder, configNames[0]);
  const shownPath = relative(cwd, file) || file;
  if (existing !== undefined && !isForced) {
    output.out(`${shownPath} already exists and is unchanged. --force overwrites it.`);
  } else {
    writeFileSync(file, file.endsWith(".json") ? toJson() : sample);
    output.out(`${paint("green", "✓")} ${shownPath}`);
  }
  ignoreDist(folder, output, cwd);
  output.out(`Next: npx platform start${root === undefined ? "" : ` ${root}`}`);
  return 0;
}

/** Returns the sample as JSON. The sample is plain data, so text replacement is enough. */
function toJson(): string {
  const body = sample.replace(/^export default /, "").replace(/;\s*$/, "");
  const quoted = body.replace(/^(\s*)(\w+):/gm, '$1"$2":').replace(/\b(en|fr): "/g, '"$1": "');
  return `${JSON.stringify(JSON.parse(quoted.replace(/,(\s*[}\]])/g, "$1")), null, 2)}\n`;
}

function ignoreDist(folder: string, output: Output, cwd: string): void {
  const file = join(folder, ".gitignore");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (text.split(/\r?\n/).some((line) => /^\/?dist\/?$/.test(line.trim()))) return;
  appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}dist/\n`);
  output.out(`${paint("green", "✓")} ${relative(cwd, file)}: dist/`);
}

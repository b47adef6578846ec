import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import {
  anchorsOf,
  findBrokenReferences,
  type Repository,
} from "../../scripts/support/documents/document-references.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Returns the files that git tracks or would add, and the contents of the Markdown files. */
function readRepository(): Repository {
  const output = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root });
  const files = output
    .toString()
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(root, path)));
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  return {
    files: new Set(files),
    documents: new Map(
      files.filter((path) => path.endsWith(".md")).map((path) => [path, readFileSync(join(root, path), "utf8")]),
    ),
    scripts: new Set(Object.keys(scripts)),
    commands: new Set([
      "manage",
      ...["shell-commands.ts", "hosting-commands.ts", "backup-commands.ts", "rotate-command.ts"].flatMap(readCommands),
    ]),
  };
}

/** Returns the names of the commands of `npx platform` that a file of cli/ adds. */
function readCommands(file: string): string[] {
  const source = readFileSync(join(root, "cli", file), "utf8");
  return [...source.matchAll(/\.command\("(\w+)/g)].map(([, name = ""]) => name);
}

it("finds every path, link, anchor and command that the documents mention", () => {
  expect(findBrokenReferences(readRepository())).toEqual([]);
});

it("reports broken paths, links, anchors and commands", () => {
  const text = [
    "# Start [here](guide.md)",
    "[good](guide.md#ports-and-hosts) [no file](missing.md) [no heading](guide.md#nothing) [own](#start-here)",
    "`workers/email/app.ts` `workers/<service>/app.ts` `email/app.ts` `workers/email/gone.ts` `workers/gone/`",
    "`npm run check` `npm run gone`",
    "```sh\nnpx platform start && npx platform gone",
    "npx platform manage email create_service_key && npx platform manage email gone\n```",
  ].join("\n");
  const findings = findBrokenReferences({
    files: new Set(["README.md", "guide.md", "workers/email/app.ts"]),
    documents: new Map([
      ["README.md", text],
      ["guide.md", "## Ports, and hosts"],
    ]),
    scripts: new Set(["check"]),
    commands: new Set(["start", "manage"]),
  });
  expect(findings).toEqual([
    "README.md: link to missing.md: there is no missing.md",
    "README.md: link to guide.md#nothing: no such heading",
    "README.md: there is no workers/email/gone.ts",
    "README.md: there is no workers/gone/",
    "README.md: there is no npm run gone",
    "README.md: there is no npx platform gone",
    "README.md: there is no platform manage email gone",
  ]);
});

it("numbers repeated headings as GitHub does", () => {
  expect([...anchorsOf("# A `b` c!\n## A b c\n```\n# not a heading\n```\n## `GET /x_y`")]).toEqual([
    "a-b-c",
    "a-b-c-1",
    "get-x_y",
  ]);
});

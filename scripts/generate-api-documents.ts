// Generates the OpenAPI documents from the routes. Without a flag, writes the assets of the Workers, including the mail
// library; wrangler runs this before each upload. `npm run documents` also writes openapi/. `--check` fails if openapi/ is
// stale or contains changes that break clients. `npm run documents -- --accept "<line>"` makes the current documents the
// baseline and adds the line to CHANGELOG.md.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Acceptance, checkDocuments, sha256 } from "./support/documents/api-compatibility.ts";
import { makeApiDocuments } from "./support/documents/api-documents.ts";
import { writeWorkerAssets } from "./support/documents/worker-assets.ts";

const ACCEPTANCE = "openapi/baseline/accepted.json";
const HEADING = "### Changed in the API\n\n";

const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

function read(path: string): string | null {
  try {
    return readFileSync(pathOf(path), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function makeTexts(): Promise<Record<string, string>> {
  const documents = Object.entries(await makeApiDocuments());
  return Object.fromEntries(documents.map(([name, document]) => [name, `${JSON.stringify(document, null, 1)}\n`]));
}

function writeTexts(texts: Record<string, string>, folder: string): void {
  mkdirSync(pathOf(folder), { recursive: true });
  for (const [name, text] of Object.entries(texts)) writeFileSync(pathOf(`${folder}/${name}.json`), text);
}

function accept(texts: Record<string, string>, line: string): void {
  const changelog = read("CHANGELOG.md") ?? "";
  if (line === "") throw new Error("--accept needs the line of CHANGELOG.md that says what changes for clients.");
  if (!changelog.includes(HEADING)) throw new Error(`CHANGELOG.md has no heading "${HEADING.trim()}".`);
  const hashes = Object.entries(texts).map(([name, text]) => [name, sha256(text)]);
  const acceptance: Acceptance = { line, sha256: Object.fromEntries(hashes) };
  writeFileSync(pathOf("CHANGELOG.md"), changelog.replace(HEADING, `${HEADING}- ${line}\n`));
  writeTexts(texts, "openapi/baseline");
  writeFileSync(pathOf(ACCEPTANCE), `${JSON.stringify(acceptance, null, 2)}\n`);
}

function check(documents: Record<string, string>): string[] {
  const readAll = (folder: string) =>
    Object.fromEntries(Object.keys(documents).map((name) => [name, read(`${folder}/${name}.json`)]));
  return checkDocuments({
    generated: documents,
    stored: readAll("openapi"),
    baseline: readAll("openapi/baseline"),
    acceptance: JSON.parse(read(ACCEPTANCE) ?? '{"line":"","sha256":{}}') as Acceptance,
    changelog: read("CHANGELOG.md") ?? "",
  });
}

const { values } = parseArgs({
  options: { write: { type: "boolean" }, check: { type: "boolean" }, accept: { type: "string" } },
});

if (values.check) {
  const problems = check(await makeTexts());
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} else {
  await writeWorkerAssets();
  const texts = values.write ? await makeTexts() : {};
  writeTexts(texts, "openapi");
  if (values.accept !== undefined) accept(texts, values.accept.trim());
}

import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findFreePort } from "../../scripts/support/processes/ports.ts";
import { readGuide } from "../support/guides/guide-script.ts";
import { startReader } from "../support/guides/reader.ts";
import type { Platform } from "../support/platform/platform";
import { OPERATOR_KEY, sharePlatform } from "../support/platform/shared-platform";

// Runs the code blocks of README.md and docs/guides that test/support/guides/guide-script.ts selects.

const repository = fileURLToPath(new URL("../../", import.meta.url));
// The folder is inside the repository, so that the files of the guides can import its packages.
const workFolder = join(repository, ".generated/guides");
const paths = ["README.md", ...readdirSync(join(repository, "docs/guides")).map((name) => `docs/guides/${name}`)];
const guides = paths.map((path) => {
  const { files, script } = readGuide(readFileSync(join(repository, path), "utf8"));
  return { path, files, script, folder: join(workFolder, basename(path, ".md")) };
});
const runnable = guides.flatMap(({ script, ...guide }) => (script === null ? [] : [{ ...guide, script }]));
const run = promisify(execFile);

let platform: Platform;
let reader: Awaited<ReturnType<typeof startReader>>;

beforeAll(async () => {
  platform = await sharePlatform();
  reader = await startReader(platform);
  const receiver = `http://localhost:${await findFreePort()}`;
  const withAddresses = (text: string) =>
    text.replaceAll("http://localhost:8787", platform.url).replaceAll("http://localhost:4000", receiver);
  rmSync(workFolder, { recursive: true, force: true });
  for (const { files, script, folder } of guides) {
    if (files.size === 0 && script === null) continue;
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), withAddresses(text));
    if (script !== null) writeFileSync(join(folder, "run.sh"), withAddresses(script));
  }
});
afterAll(() => reader?.close());

it.for(runnable)("runs the code blocks of $path without an error", async ({ folder }) => {
  const env = {
    PATH: `${join(repository, "node_modules/.bin")}:${process.env.PATH}`,
    REPOSITORY: repository,
    USER_URL: reader.url,
    PLATFORM_EMAIL_URL: `${platform.url}/email`,
    PLATFORM_OPERATOR_KEY: OPERATOR_KEY,
  };
  const command = "exec bash run.sh > out.log 2> errors.log";
  const failure = await run("bash", ["-c", command], { cwd: folder, env, timeout: 60_000 }).then(
    () => null,
    () => ["out.log", "errors.log"].map((name) => readFileSync(join(folder, name), "utf8")).join("\n"),
  );
  expect(failure).toBeNull();
});

it("type-checks the TypeScript files of the guides without an error", async () => {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    types: ["node"],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    jsx: "react-jsx",
    // Resolves React's API to Preact's implementation.
    jsxImportSource: "preact",
    paths: { react: ["../../node_modules/preact/compat/src/index.d.ts"] },
  };
  writeFileSync(join(workFolder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const { stdout } = await run(join(repository, "node_modules/.bin/tsc"), ["-p", workFolder]).catch((error) => error);
  expect(stdout).toBe("");
});

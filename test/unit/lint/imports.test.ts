import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

const foreignStore = "only files in its folder may import a store; other folders import the module named by its noun";
const routes = "only app.ts (in the kit: mount.ts) may import routes";
const rules = "a store may import only tables, the kit and stores in its folder";
const statements = "only stores may build statements";
const members = "workers/identity/users/members";

/** Forbidden imports, with the linter's message. */
const forbidden: [file: string, imports: string, message: string][] = [
  [`${members}/member.routes.ts`, "../sessions/session.store", foreignStore],
  [`${members}/member.ts`, "../sessions/session.store", foreignStore],
  [`${members}/member.store.ts`, "../sessions/session.store", foreignStore],
  [`${members}/member.job.ts`, "../../../kit/jobs/purge/purge.store", foreignStore],
  ["workers/kit/webhooks/dispatch/claim.ts", "../deliveries/delivery.store", foreignStore],
  [`${members}/member.ts`, "../../../kit/jobs/purge/purge.store", foreignStore],
  [`${members}/member.ts`, "./member.routes", routes],
  ["workers/kit/webhooks/access/access.ts", "./deliveries/delivery.routes", routes],
  [`${members}/member.store.ts`, "./member", rules],
  [`${members}/member.store.ts`, "../sessions/session", rules],
  [`${members}/member.store.ts`, "../../sign-in/sessions/session", rules],
  ["workers/storage/shares/share.store.ts", "../quotas/quota", rules],
  [`${members}/member.store.ts`, "./member.present", "a store must not import presenters or jobs"],
  [`${members}/member.present.ts`, "../../mail/outbox/mail.job", "a presenter must not import jobs"],
  [
    `${members}/member.ts`,
    "../../mail/outbox/mail.job",
    "only jobs.ts, services.ts, worker.ts and other jobs may import a job",
  ],
  [`${members}/member.ts`, "hono", "only routes and app.ts may import Hono"],
  [`${members}/member.ts`, "drizzle-orm", statements],
  [`${members}/member.routes.ts`, "../../../kit/db/query", statements],
  ["schemas/user.ts", "hono", "schemas may import only zod"],
  ["schemas/identity/user.ts", "../../workers/kit/time", "schemas may import only zod"],
  ["db/identity/schema.ts", "../../schemas/errors", "tables may import only drizzle and db/kit"],
  ["cli/main.ts", "../workers/kit/time", "the command line may import only schemas"],
  ["cli/page/document.ts", "../../shell/client/src/store", "the command line may import only schemas"],
  ["shell/client/src/store.ts", "../../../workers/kit/time", "the shell may import only schemas"],
  ["shell/sdk/src/entries/tiny.ts", "../../../cli/main", "the shell may import only schemas"],
];

const allowed: [file: string, imports: string][] = [
  [`${members}/member.routes.ts`, "./member.store"],
  [`${members}/member.routes.ts`, "../sessions/session"],
  [`${members}/member.routes.ts`, "hono"],
  [`${members}/member.store.ts`, "drizzle-orm"],
  [`${members}/member.store.ts`, "./membership.store"],
  [`${members}/member.store.ts`, "../../../kit/db/query"],
  [`${members}/member.store.ts`, "../../../kit/jobs/purge/purge.store"],
  ["workers/kit/webhooks/purge.store.ts", "../jobs/purge/purge.store"],
  [`${members}/member.store.ts`, "../../../../db/identity/schema"],
  [`${members}/member.ts`, "./member.present"],
  ["workers/identity/sign-in/completion/page.ts", "hono/html"],
  ["workers/identity/app.ts", "./users/members/member.routes"],
  ["workers/kit/webhooks/mount.ts", "./deliveries/delivery.routes"],
  [`${members}/member.store.ts`, "../../../kit/jobs/purge/purge.store"],
  ["workers/kit/webhooks/purge.store.ts", "../jobs/purge/purge.store"],
  [`${members}/member.routes.ts`, "../../../kit/jobs/job.routes"],
  ["workers/email/jobs.ts", "./operations/jobs/sweep.job"],
  ["schemas/user.ts", "zod"],
  ["db/identity/schema.ts", "../kit/jobs"],
];

let folder = "";
let diagnostics: { file: string; line: number; message: string }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "platform-lint-"));
  const cases = [...forbidden, ...allowed];
  for (const file of new Set(cases.map(([name]) => name))) {
    const imports = cases.filter(([name]) => name === file).map(([, source]) => `export * from "${source}";\n`);
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), imports.join(""));
  }
  await writeFile(join(folder, "biome.json"), JSON.stringify({ plugins: [join(root, "lint/imports.grit")] }));
  const biome = join(root, "node_modules/.bin/biome");
  const lint = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
  // The linter exits with 1 because the files contain forbidden imports.
  const { stdout } = await run(biome, lint, { cwd: folder }).catch((error: { stdout: string }) => error);
  diagnostics = readDiagnostics(stdout);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

type Report = {
  diagnostics: { category: string; message: string; location: { path: string; start: { line: number } } }[];
};

function readDiagnostics(output: string) {
  const { diagnostics } = JSON.parse(output) as Report;
  return diagnostics
    .filter(({ category }) => category === "plugin")
    .map(({ message, location: { path, start } }) => ({ file: path, line: start.line, message }));
}

/** Returns the messages about an import. Each file has one import per line, in the order of the cases. */
function messagesOf(file: string, imports: string): string[] {
  const sources = [...forbidden, ...allowed].filter(([name]) => name === file).map(([, source]) => source);
  const line = sources.indexOf(imports) + 1;
  return diagnostics.filter((entry) => entry.file === file && entry.line === line).map(({ message }) => message);
}

it.each(forbidden)("rejects an import in %s of %s", (file, imports, message) => {
  expect(messagesOf(file, imports)).toEqual([message]);
});

it.each(allowed)("accepts an import in %s of %s", (file, imports) => {
  expect(messagesOf(file, imports)).toEqual([]);
});

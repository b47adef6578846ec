// Measures `platform manage identity import_people` with a file of 100,000 people, against the production bundle of identity.
// Prints the rate and the peak memory of the command and of the Worker, and the time of an export. Fails when the repeated import
// changes a row. `-- imports 5000` imports fewer people.

import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { demo, seedStatements } from "../../scripts/support/databases/seed.ts";
import { changeableSettings, portSettings } from "../../scripts/support/start/dev-settings.ts";
import { makeSecrets, serviceKeysOf } from "../../scripts/support/start/secrets.ts";
import { openIsolateMemory } from "./support/isolate-memory.ts";
import { redirectTo } from "./support/person.ts";
import { benchWorker, type Runtime, serviceWorker, withRuntime } from "./support/runtime.ts";
import { printTable } from "./support/throughput-report.ts";

const MB = 1024 * 1024;
const people = Number(process.argv[3] ?? 100_000);
const groups = ["Sales", "Support", "Finance", "Design"];
const launcher = fileURLToPath(new URL("../../cli/platform.mjs", import.meta.url));
const OPERATOR_KEY = `opk_${"k".repeat(40)}`;
const secrets = await makeSecrets();
const derived = portSettings({ port: 5173, smtpPort: 1, shellPort: null });

/** Writes the file of people: names, dates, a group and a Google account each. */
async function writePeople(path: string): Promise<number> {
  const file = createWriteStream(path);
  file.write("email,email_verified,first_name,last_name,language,created_at,groups,google_id\r\n");
  for (let at = 0; at < people; at += 1) {
    const line = `noor.${at % 5000}+${at}@aster.example,true,Noor ${at},"Haddad, ""${at}""",fr,2021-03-04T05:06:07Z,${groups[at % 4]},${10 ** 12 + at}\r\n`;
    if (!file.write(line)) await new Promise<void>((resolve) => file.once("drain", resolve));
  }
  await finished(file.end());
  return (await stat(path)).size;
}

type Result = { counts: Record<string, number> };

/** Runs the command and returns its result and its duration in seconds. */
function run(url: string, command: string, args: string[]): Promise<{ out: string; err: string; seconds: number }> {
  const startedAt = performance.now();
  const env = { PATH: process.env.PATH ?? "", PLATFORM_OPERATOR_KEY: OPERATOR_KEY };
  const all = [launcher, "manage", "identity", command, "--company", "1", ...args, "--url", url];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, all, { env }, (error, out, err) => {
      if (error) reject(new Error(`${command}: ${err}${out}`));
      else resolve({ out, err, seconds: (performance.now() - startedAt) / 1000 });
    });
  });
}

/** Returns a text that differs when a row of the imported people was added, removed or changed. */
async function digest(runtime: Runtime): Promise<string> {
  const d1 = await runtime.database("DB", "platform-identity");
  const queries = [
    "select count(*), total(updated_at), total(length(first_name || last_name)) from users",
    "select count(*), total(state_at), total(length(group_names)) from memberships",
    "select count(*), total(updated_at) from preferences",
    "select count(*), total(last_used_at) from identities",
    "select count(*) from group_members",
    "select total(user_count), total(updated_at), group_concat(revision) from groups",
    "select count(*), max(id) from event_log",
  ];
  return JSON.stringify(await Promise.all(queries.map((query) => d1.prepare(query).raw())));
}

async function measure(runtime: Runtime, folder: string): Promise<void> {
  const identity = await runtime.database("DB", "platform-identity");
  const seed = await seedStatements({
    ...demo,
    origins: [new URL(redirectTo).origin],
    serviceKeys: serviceKeysOf(secrets),
  });
  await identity.batch(seed.identity.map((text) => identity.prepare(text)));
  for (const name of groups) {
    await identity
      .prepare(
        "insert into groups (id, company_id, source, display_name, name_key, revision, created_at, updated_at) values (?1, 1, 'admin', ?2, lower(?2), 'r', 1, 1)",
      )
      .bind(crypto.randomUUID(), name)
      .run();
  }
  const url = await runtime.url("platform-identity");
  const path = join(folder, "people.csv");
  const bytes = await writePeople(path);
  const memory = await openIsolateMemory(await runtime.inspector(), "platform-identity");
  const sizes = [await memory.read()];
  const watch = setInterval(async () => void sizes.push(await memory.read()), 200);
  const rows: string[][] = [];
  let afterImport = "";
  try {
    for (const name of ["dry run", "import", "repeated import"]) {
      const { out } = await run(url, "import_people", ["--file", path, ...(name === "dry run" ? ["--dry-run"] : [])]);
      const { counts } = JSON.parse(out) as Result;
      const outcome = ["created", "updated", "unchanged", "rejected"].map((status) => `${counts[status]} ${status}`);
      rows.push([name, outcome.join(", "), `${counts.seconds} s`, `${counts.rows_per_second}`, `${counts.peak_mb} MB`]);
      const expected = name === "repeated import" ? counts.unchanged : counts.created;
      if (expected !== people) throw new Error(`${name}: ${outcome.join(", ")}`);
      if (name === "import") afterImport = await digest(runtime);
    }
    if ((await digest(runtime)) !== afterImport) throw new Error("the repeated import changed rows");
    const { seconds } = await run(url, "export_people", ["--output", join(folder, "members.csv")]);
    rows.push(["export", `${people} people`, `${seconds.toFixed(1)} s`, `${Math.round(people / seconds)}`, ""]);
  } finally {
    clearInterval(watch);
    memory.close();
  }
  console.log(`\nImport of ${people} people, ${(bytes / MB).toFixed(1)} MB of CSV\n`);
  printTable([["", "result", "time", "rows/s", "peak of the command"], ...rows]);
  const highest = (Math.max(...sizes) / MB).toFixed(1);
  console.log(`\nMemory of the Worker: ${((sizes[0] ?? 0) / MB).toFixed(1)} MB before, at most ${highest} MB`);
}

const folder = await mkdtemp(join(tmpdir(), "platform-import-"));
try {
  const settings = { ...changeableSettings.identity, ...secrets.identity, ...derived.identity, OPERATOR_KEY };
  const worker = await serviceWorker("identity", { settings, isMetered: false, services: { EMAIL: "mail-sink" } });
  const sink = await benchWorker("mail-sink", "mail-sink/worker.ts");
  await withRuntime([worker, sink], ["identity"], (runtime) => measure(runtime, folder), 0);
} finally {
  await rm(folder, { recursive: true, force: true });
}

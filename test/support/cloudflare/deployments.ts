import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { actions } from "../../../scripts/deploy/actions.ts";
import type { Binding, Uploads } from "../../../scripts/deploy/build.ts";
import { createClient } from "../../../scripts/deploy/cloudflare/client.ts";
import type { WorkerConfigs } from "../../../scripts/deploy/config.ts";
import type { Surroundings } from "../../../scripts/deploy/deploy.ts";
import { type Options, parseOptions } from "../../../scripts/deploy/options.ts";
import { type DeploymentRecord, readRecord } from "../../../scripts/deploy/record.ts";
import type { Release } from "../../../scripts/deploy/release.ts";
import { libraryStatements } from "../../../scripts/support/databases/library.ts";
import { perService, perWorker } from "../../../scripts/support/services.ts";
import { makeSecret } from "../../../scripts/support/start/secrets.ts";
import { migratedSchema } from "../db/migrated/schema.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";

/** Options that answer every question. */
export const answers = [
  ...["--company", "Aster Labs", "--owner", "owner@example.com", "--staff", "staff@example.com"],
  ...["--mail", "smtp", "--set", "email.EMAIL_HOST=smtp.example.com"],
];

const entrypoints = ["IdentityRpc", "HostingRpc", "StorageRpc", "Apps"]
  .map((name) => `export class ${name} {}`)
  .concat("export default {};")
  .join(" ");

/** Returns the uploads that wrangler would build, with little code. `code` tells releases apart. */
function stubUploads(configs: WorkerConfigs, code: string): Uploads {
  return perWorker((worker) => {
    const config = configs[worker];
    const bindings: Binding[] = [
      ...Object.entries(config.vars ?? {}).map(([name, text]) => ({ type: "plain_text", name, text })),
      ...(config.durable_objects?.bindings ?? []).map((entry) => ({ type: "durable_object_namespace", ...entry })),
      ...(config.d1_databases ?? []).map(({ binding: name, database_id: id }) => ({ type: "d1", name, id })),
      ...(config.r2_buckets ?? []).map(({ binding: name, bucket_name }) => ({ type: "r2_bucket", name, bucket_name })),
      ...(config.queues?.producers ?? []).map(({ binding: name, queue }) => ({
        type: "queue",
        name,
        queue_name: queue,
      })),
      ...(config.services ?? []).map(({ binding: name, ...target }) => ({ type: "service", name, ...target })),
      ...(config.send_email ?? []).map((entry) => ({ type: "send_email", ...entry })),
      ...(config.assets === undefined ? [] : [{ type: "assets", name: "ASSETS" }]),
    ];
    const file = new File([`${entrypoints} // ${worker} ${code}`], "worker.js", {
      type: "application/javascript+module",
    });
    const observability = { logs: { enabled: true, invocation_logs: false } };
    const metadata = { main_module: "worker.js", bindings, keep_bindings: ["secret_text"], observability };
    return { metadata, files: [["worker.js", file]] };
  });
}

type Databases = Pick<Release, "migrations" | "library">;
let shared: Databases | undefined;

/**
 * Returns a release whose databases are those of this checkout, in one migration for each service, because many runs are tested.
 * The library consists of its version only.
 */
async function stubRelease(label: string, uploads: Uploads): Promise<Release> {
  shared ??= {
    migrations: perService((service) => [{ name: "0000_all.sql", sql: `${migratedSchema(service).join(";\n")};` }]),
    library: (await libraryStatements({ isSmall: true })).slice(-1),
  };
  const assets = new Map([["/static/docs/index.html", Buffer.from("<!doctype html>")]]);
  return { label, uploads, assets, ...shared };
}

let key: string | undefined;

type Cleanup = { onTestFinished: (end: () => void | Promise<void>) => void };

/** A stand-in, and folders in which the command keeps its files. */
export type Bench = {
  cloudflare: StandIn;
  /** the lines that the last run printed */
  lines: string[];
  /** milliseconds that runs waited */
  waits: number[];
  records: string;
  /** writes a new file with the one secret that is slow to generate; returns its path */
  secretsFile: () => string;
  /** runs the command; rejects when it fails */
  run: (args?: string[], changes?: Partial<Surroundings>) => Promise<boolean>;
  /** the code of the next release */
  setCode: (code: string) => void;
  record: (name?: string) => DeploymentRecord;
};

/** Starts a stand-in with an empty account. */
export async function openBench({ onTestFinished }: Cleanup): Promise<Bench> {
  const cloudflare = await startStandIn();
  const folder = mkdtempSync(join(tmpdir(), "deploy-"));
  onTestFinished(async () => {
    await cloudflare.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const records = join(folder, "deploy");
  const lines: string[] = [];
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  let code = "release 1";
  return {
    cloudflare,
    lines,
    waits,
    records,
    secretsFile: () => {
      const path = join(folder, `${randomUUID()}.json`);
      key ??= makeSecret("RSA key");
      writeFileSync(path, JSON.stringify({ identity: { JWT_PRIVATE_KEY: key } }));
      return path;
    },
    setCode: (next) => {
      code = next;
    },
    record: (name = "platform") => {
      const record = readRecord(join(records, `${name}.json`));
      if (record === null) throw new Error(`There is no record of ${name}.`);
      return record;
    },
    run: async (args = ["--yes", ...answers], changes = {}) => {
      lines.length = 0;
      const options: Options | null = parseOptions(args);
      if (options === null) throw new Error("The options ask for help.");
      if (options.action === "dry-run") throw new Error("The stand-in is not used by --dry-run.");
      return actions[options.action](options, {
        api: createClient({ baseUrl: cloudflare.url, token: cloudflare.token, wait }),
        records,
        generated: join(folder, "generated"),
        label: code,
        prompts: null,
        env: {},
        say: (line) => lines.push(line),
        wait,
        now: Date.now,
        publicUrl: cloudflare.publicUrl,
        backup: async () => 1,
        build: async (configs) => stubUploads(configs, code),
        release: stubRelease,
        ...changes,
      });
    },
  };
}

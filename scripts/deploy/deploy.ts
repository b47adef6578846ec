import { join, relative } from "node:path";
import type { runBackup } from "../../cli/backup/backup.ts";
import { findAppDomainProblem } from "../support/app-domain.ts";
import { perWorker, type Service, services } from "../support/services.ts";
import { loadSettings } from "../support/settings-tables.ts";
import { buildUploads, type Uploads } from "./build.ts";
import { chooseCopy, chooseDeployment } from "./choose.ts";
import { type Cloudflare, CloudflareError } from "./cloudflare/client.ts";
import { type Existing, readExisting } from "./cloudflare/existing.ts";
import { configsOf, type WorkerConfigs, writeConfigs } from "./config.ts";
import { defaultName } from "./names.ts";
import { type Options, UsageError } from "./options.ts";
import { describePlan } from "./plan.ts";
import type { Prompts } from "./prompts.ts";
import { type DeploymentRecord, readRecord, writeRecord } from "./record.ts";
import type { Release } from "./release.ts";
import { readOrBeginCopy, writeCopy } from "./rotation/secrets-copy.ts";
import { type Run, type Step, StepError } from "./run.ts";
import { findMissingSecrets, serviceKeyName, withSecrets } from "./secrets.ts";
import { attachAddresses } from "./steps/addresses.ts";
import { loadLibrary, migrateDatabases, query, storeFirstRows } from "./steps/databases.ts";
import { enableSending } from "./steps/mail.ts";
import { createResources } from "./steps/resources.ts";
import { setTriggers } from "./steps/triggers.ts";
import { deployWorkers } from "./steps/workers.ts";
import { settingProblems } from "./variables.ts";
import { checkHealth, signOwnerIn } from "./verify.ts";

const steps: readonly Step[] = [
  createResources,
  migrateDatabases,
  loadLibrary,
  storeFirstRows,
  enableSending,
  deployWorkers,
  setTriggers,
  attachAddresses,
  checkHealth,
  signOwnerIn,
];

/** The surroundings of the command: the account, files, terminal and clock. */
export type Surroundings = {
  api: Cloudflare;
  /** the folder of the records */
  records: string;
  /** the folder of generated files */
  generated: string;
  label: string;
  prompts: Prompts | null;
  env: NodeJS.ProcessEnv;
  say: (line: string) => void;
  wait: (ms: number) => Promise<void>;
  now: () => number;
  publicUrl: (url: string) => string;
  build: (configs: WorkerConfigs, folder: string) => Promise<Uploads>;
  /** exports the rows of the services, as `platform backup` */
  backup: typeof runBackup;
  release: (label: string, uploads: Uploads, configs: WorkerConfigs) => Promise<Release>;
};

/** Writes the configurations to `folder` and builds the Workers with them. */
export function buildFrom(configs: WorkerConfigs, folder: string): Promise<Uploads> {
  return buildUploads(writeConfigs(folder, configs), join(folder, "uploads"));
}

/** Returns the record of a deployment. Throws if there is none. */
export function requireRecord({ name }: Options, { records }: Surroundings): DeploymentRecord {
  const record = readRecord(recordPath(name, records));
  if (record === null) throw new UsageError(`There is no deployment ${name} in ${records}.`);
  return record;
}

export const recordPath = (name: string, records: string): string => join(records, `${name}.json`);

type Settings = Awaited<ReturnType<typeof loadSettings>>;

/** Throws if settings or hosts of the deployment are invalid. */
function checkSettings(record: DeploymentRecord, configs: WorkerConfigs, settings: Settings): void {
  const hosts = perWorker((worker) => ({
    vars: configs[worker].vars ?? {},
    routes: (configs[worker].routes ?? []).map(({ pattern }) => pattern),
  }));
  const problems = [...settingProblems(record, settings), findAppDomainProblem(hosts)].filter((line) => line !== null);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** Returns the services whose key the email database lacks, although their Worker has one. */
export async function servicesWithoutKey(
  run: Pick<Run, "api" | "record">,
  existing: Existing,
  configs: WorkerConfigs,
): Promise<Set<Service>> {
  const holders = services.filter((service) => existing.workers.get(service)?.secrets.has(serviceKeyName));
  if (holders.length === 0) return new Set();
  const id = existing.databases.get(configs.email.d1_databases?.[0]?.database_name ?? "");
  if (id === undefined) return new Set(holders);
  const record = { ...run.record, databases: { ...run.record.databases, email: id } };
  const sql = "SELECT DISTINCT service FROM service_clients;";
  try {
    const rows = await query<{ service: string }>({ ...run, record }, "email", sql);
    const known = new Set(rows.map(({ service }) => service));
    return new Set(holders.filter((service) => !known.has(service)));
  } catch (error) {
    // The database was created again and has no tables yet.
    if (error instanceof CloudflareError && error.message.includes("no such table")) return new Set(holders);
    throw error;
  }
}

/** Throws if the HTTP mail API has no key. */
function requireProviderKey(record: DeploymentRecord, existing: Existing, secrets: Run["secrets"]): void {
  const name = "PROVIDER_API_KEY";
  if (record.mail !== "api" || existing.workers.get("email")?.secrets.has(name) || secrets.email?.[name]) return;
  throw new UsageError(`--mail api requires the environment variable ${name}.`);
}

/** Returns the command of this program with arguments, as a shell takes them. */
function commandOf(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`));
  return ["npm run deploy", ...(quoted.length === 0 ? [] : ["--"]), ...quoted].join(" ");
}

/** Runs the steps in order and prints the time of each. */
async function runSteps(run: Run, args: readonly string[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const startedAt = performance.now();
    const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    try {
      await step.run(run);
    } catch (error) {
      run.say(`✗ ${step.title}  ${seconds()}`);
      const open = steps.slice(index).map(({ title }) => title);
      const name = run.record.name;
      throw new StepError(
        `${error instanceof Error ? error.message : String(error)}\n\nNot done: ${open.join("; ")}.\n` +
          `Steps can be repeated. Continue with: ${commandOf(args)}\n` +
          `Restore the previous versions of the Workers with: npm run deploy -- --name ${name} --rollback`,
        { cause: error },
      );
    }
    run.say(`✓ ${step.title}  ${seconds()}`);
  }
}

/** Returns whether the user wants the printed plan. Throws if nobody can answer. */
export async function confirmed({ yes }: Options, { prompts }: Surroundings): Promise<boolean> {
  if (yes) return true;
  if (prompts === null) throw new Error("Nothing was changed. Add --yes to carry out this plan.");
  return prompts.confirm("Carry out this plan?");
}

/** Creates or upgrades a deployment. Returns false if the user does not confirm the plan. */
export async function deploy(options: Options, at: Surroundings): Promise<boolean> {
  const { api, prompts, say } = at;
  const path = recordPath(options.name, at.records);
  const settings = await loadSettings();
  const unknown = settingProblems(options, settings);
  if (unknown.length > 0) throw new UsageError(unknown.join("\n"));
  const former = readRecord(path);
  const record = await chooseDeployment(api, options, former, prompts);
  const copyPath = await chooseCopy(options, former, prompts);
  const copy = copyPath === null ? null : readOrBeginCopy(record, copyPath);
  const configs = configsOf(record);
  checkSettings(record, configs, settings);
  const folder = join(at.generated, options.name);
  const existing = await readExisting(api, record, configs);
  const withoutKey = await servicesWithoutKey({ api, record }, existing, configs);
  say("Builds the Workers …");
  const release = await at.release(at.label, await at.build(configs, folder), configs);
  const secrets = findMissingSecrets(existing, record, { settings, withoutKey, copy, env: at.env });
  requireProviderKey(record, existing, secrets);
  for (const line of await describePlan({ existing, configs, record, release }, secrets)) say(line);
  if (!(await confirmed(options, at))) return false;
  if (copy !== null && copyPath !== null) writeCopy(copyPath, withSecrets(copy, secrets));
  const save = () => {
    writeRecord(path, record);
    writeConfigs(folder, configs);
  };
  save();
  const id = new Date(at.now()).toISOString();
  const { wait, publicUrl } = at;
  const operatorKey = secrets.identity.OPERATOR_KEY ?? copy?.identity?.OPERATOR_KEY;
  const isChosen = copyPath !== null && options.secretsFile === null;
  await runSteps(
    { id, api, release, record, configs, existing, secrets, operatorKey, save, say, wait, publicUrl },
    isChosen ? [...options.args, "--secrets-file", copyPath] : options.args,
  );
  const running = record.release;
  record.release = release.label;
  save();
  const name = record.name === defaultName ? "" : ` --name ${record.name}`;
  if (running === null)
    say(`Next: open the sign-in link, commit ${relative(".", path)}, and read First application in docs/deploy.md.`);
  else if (running !== release.label) say(`Runs ${release.label}. Go back with: npm run deploy --${name} --rollback`);
  return true;
}

import { createHash } from "node:crypto";
import { seedStatements } from "../../support/databases/seed.ts";
import { type Service, type Worker, workers } from "../../support/services.ts";
import type { Binding, Metadata, Upload } from "../build.ts";
import { manifestOf, uploadAssets } from "../cloudflare/assets.ts";
import { hasCode } from "../cloudflare/client.ts";
import { messageAnnotation, tagAnnotation } from "../cloudflare/existing.ts";
import { type Run, type Step, StepError } from "../run.ts";
import { serviceKeyName } from "../secrets.ts";
import { waitForHealth } from "../verify.ts";
import { attachDomains } from "./addresses.ts";
import { query } from "./databases.ts";

/** Requests that the new version gets before all of them, in percent. */
const FIRST_PERCENT = 10;
const TAG_LENGTH = 20;
/** Cloudflare's code for migrations that do not begin at the tag of the Worker. */
const OTHER_MIGRATION_TAG = 10079;

/** The order in which Workers are deployed: email binds entrypoints of the others, and the edge binds all. */
export const deployOrder: readonly Worker[] = [
  ...workers.filter((worker) => worker !== "email" && worker !== "edge"),
  "email",
  "edge",
];

export const scriptPath = ({ record, configs }: Pick<Run, "record" | "configs">, worker: Worker): string =>
  `/accounts/${record.account}/workers/scripts/${configs[worker].name}`;

/** The message of the deployment of a placeholder, which a rollback never restores. */
export const placeholderMessage = "placeholder";
const placeholderModule = "export default { fetch: () => new Response(null, { status: 503 }) };\n";

/** Uploads a Worker that responds 503, so that others can bind its name. */
async function uploadPlaceholder({ api, record, existing }: Run, name: string): Promise<void> {
  const form = new FormData();
  const annotations = { [messageAnnotation]: placeholderMessage };
  const metadata = { main_module: "placeholder.js", compatibility_date: "2026-10-01", annotations };
  form.append("metadata", JSON.stringify(metadata));
  const type = "application/javascript+module";
  form.append("placeholder.js", new File([placeholderModule], "placeholder.js", { type }));
  await api.call("PUT", `/accounts/${record.account}/workers/scripts/${name}`, { form });
  existing.scripts.add(name);
}

/** Returns the bindings of an upload with the ids of the databases, which are unknown when it is built. */
function withDatabases({ configs }: Pick<Run, "configs">, worker: Worker, bindings: readonly Binding[]): Binding[] {
  return bindings.map((binding) => {
    const database = configs[worker].d1_databases?.find((entry) => entry.binding === binding.name);
    return binding.type === "d1" && database !== undefined ? { ...binding, id: database.database_id } : binding;
  });
}

/** Returns the tag of an upload: the hash of its code, bindings and assets. Equal uploads are not sent again. */
async function tagOf(run: Pick<Run, "release">, upload: Upload, bindings: Binding[]): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify({ ...upload.metadata, bindings }));
  // Source maps contain random paths of the build.
  const modules = upload.files.filter(([name]) => !name.endsWith(".map"));
  for (const [name, file] of modules) hash.update(name).update(Buffer.from(await file.arrayBuffer()));
  if (bindings.some(({ type }) => type === "assets")) hash.update(JSON.stringify(manifestOf(run.release.assets)));
  return hash.digest("hex").slice(0, TAG_LENGTH);
}

type Described = Pick<Run, "configs" | "release" | "existing" | "secrets">;

/** Returns what a run does with a Worker: its change, and the tag and bindings of its upload. */
export async function plannedChange(run: Described, worker: Worker) {
  const upload = run.release.uploads[worker];
  const bindings = withDatabases(run, worker, upload.metadata.bindings);
  const tag = await tagOf(run, upload, bindings);
  const before = run.existing.workers.get(worker);
  const isSame = before?.tag === tag && Object.keys(run.secrets[worker] ?? {}).length === 0;
  const change = before === undefined ? "create" : isSame ? "keep" : "upgrade";
  return { change, tag, bindings } as const;
}

/** Returns the migrations of Durable Objects that a Worker lacks, as wrangler sends them, or undefined. */
function pendingMigrations({ configs, existing }: Run, worker: Worker): object | undefined {
  const { migrations = [] } = configs[worker];
  const current = existing.workers.get(worker)?.migrationTag;
  const index = migrations.findIndex(({ tag }) => tag === current);
  const pending = migrations.slice(index + 1);
  if (pending.length === 0) return undefined;
  const steps = pending.map(({ tag: _, ...step }) => step);
  return { ...(current === undefined ? {} : { old_tag: current }), new_tag: migrations.at(-1)?.tag, steps };
}

async function formOf(run: Run, worker: Worker, tag: string, bindings: Binding[], migrations: object | undefined) {
  const upload = run.release.uploads[worker];
  const secrets = Object.entries(run.secrets[worker] ?? {}).map(([name, text]) => ({
    type: "secret_text",
    name,
    text,
  }));
  const hasAssets = bindings.some(({ type }) => type === "assets");
  const jwt = hasAssets
    ? await uploadAssets(run.api, run.record.account, scriptPath(run, worker), run.release.assets)
    : null;
  const { html_handling } = run.configs[worker].assets ?? {};
  const metadata: Metadata = {
    ...upload.metadata,
    bindings: [...bindings, ...secrets],
    ...(jwt === null ? {} : { assets: { jwt, config: { html_handling } } }),
    ...(migrations === undefined ? {} : { migrations }),
    annotations: { [tagAnnotation]: tag, [messageAnnotation]: `deploy ${run.id}` },
  };
  const form = new FormData();
  form.append("metadata", JSON.stringify(metadata));
  for (const [name, file] of upload.files) form.append(name, file, name);
  return form;
}

/**
 * Stores the hash of the key with which a service calls the email service. Must precede the upload of the service: a run that
 * is cut in between makes a new key, because the account does not have this one.
 */
async function storeServiceKey(run: Run, service: Service): Promise<void> {
  const key = run.secrets[service]?.[serviceKeyName];
  if (key === undefined) return;
  const seed = { company: { name: "", slug: "" }, users: [], hostsApps: false, origins: [] };
  const { email } = await seedStatements({ ...seed, serviceKeys: { [service]: key } });
  for (const sql of email) await query(run, "email", sql);
}

async function deployVersions(run: Run, worker: Worker, versions: Record<string, number>): Promise<void> {
  const json = {
    strategy: "percentage",
    versions: Object.entries(versions).map(([version_id, percentage]) => ({ version_id, percentage })),
    annotations: { [messageAnnotation]: `deploy ${run.id}` },
  };
  await run.api.call("POST", `${scriptPath(run, worker)}/deployments`, { json });
}

/** Waits until a service is healthy. `version` is one that gets only a part of the requests. */
async function requireHealth(run: Run, worker: Worker, percent: number, version?: string): Promise<void> {
  if (worker === "edge") return;
  const state = await waitForHealth(run, worker, version);
  if (state === "ok") return;
  throw new StepError(`${worker} is not healthy (${state}) while its new version gets ${percent}% of the requests.`);
}

/** Replaces the version of a running Worker, first for a part of the requests. */
async function upgrade(run: Run, worker: Worker, form: FormData): Promise<void> {
  const path = scriptPath(run, worker);
  const { id } = await run.api.call<{ id: string }>("POST", `${path}/versions`, {
    form,
    query: { bindings_inherit: "strict" },
  });
  const running = run.existing.workers.get(worker)?.deployments[0]?.versions ?? [];
  const previous = running.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id;
  if (previous !== undefined) {
    await deployVersions(run, worker, { [id]: FIRST_PERCENT, [previous]: 100 - FIRST_PERCENT });
    await requireHealth(run, worker, FIRST_PERCENT, id);
  }
  await deployVersions(run, worker, { [id]: 100 });
  // Settings of logs belong to the Worker and not to its versions.
  const { observability } = run.release.uploads[worker].metadata;
  if (observability !== undefined) {
    await run.api.call("PATCH", `${path}/script-settings`, { json: { observability } });
  }
  await requireHealth(run, worker, 100);
}

/**
 * Uploads a Worker and deploys it at once. `withoutMigrations` makes the upload for the case that Cloudflare applied the migrations
 * of Durable Objects in an attempt whose response was lost.
 */
async function putScript(run: Run, worker: Worker, form: FormData, withoutMigrations: () => Promise<FormData>) {
  const { api, record, configs } = run;
  const query = { excludeScript: "true", bindings_inherit: "strict" };
  try {
    await api.call("PUT", scriptPath(run, worker), { form, query });
  } catch (error) {
    if (!hasCode(error, OTHER_MIGRATION_TAG)) throw error;
    type Script = { id: string; migration_tag?: string };
    const scripts = await api.call<Script[]>("GET", `/accounts/${record.account}/workers/scripts`);
    const tag = scripts.find(({ id }) => id === configs[worker].name)?.migration_tag;
    if (tag === undefined || tag !== configs[worker].migrations?.at(-1)?.tag) throw error;
    await api.call("PUT", scriptPath(run, worker), { form: await withoutMigrations(), query });
  }
}

async function deployWorker(run: Run, worker: Worker): Promise<string> {
  const { configs, existing } = run;
  for (const { service } of configs[worker].services ?? []) {
    if (!existing.scripts.has(service)) await uploadPlaceholder(run, service);
  }
  const { change, tag, bindings } = await plannedChange(run, worker);
  if (change === "keep") return "unchanged";
  const before = existing.workers.get(worker);
  const migrations = pendingMigrations(run, worker);
  if (worker !== "edge") await storeServiceKey(run, worker);
  const form = await formOf(run, worker, tag, bindings, migrations);
  // The API for versions accepts no migrations of Durable Objects, and a placeholder must not get requests.
  const isNew = before?.tag === undefined && (before?.deployments.length ?? 0) <= 1;
  if (isNew || migrations !== undefined) {
    await putScript(run, worker, form, () => formOf(run, worker, tag, bindings, undefined));
    existing.scripts.add(configs[worker].name);
  } else await upgrade(run, worker, form);
  return change === "create" ? "created" : "upgraded";
}

export const deployWorkers: Step = {
  title: "Workers",
  run: async (run) => {
    // The health of a Worker that has lost its address could not be checked while it is upgraded.
    await attachDomains(run, (worker) => run.existing.workers.has(worker));
    for (const [index, worker] of deployOrder.entries()) {
      try {
        const change = await deployWorker(run, worker);
        run.say(`  ${run.configs[worker].name}: ${change}`);
      } catch (error) {
        const cause = error instanceof Error ? error.message : String(error);
        const [done, open] = [deployOrder.slice(0, index), deployOrder.slice(index + 1)].map((list) => list.join(", "));
        throw new StepError(
          `${cause}\nWorkers of this release: ${done || "none"}. Stopped at ${worker}. Unchanged: ${open || "none"}.`,
          { cause: error },
        );
      }
      if (worker === "edge") continue;
      const stored = new Set([...(run.record.secrets[worker] ?? []), ...Object.keys(run.secrets[worker] ?? {})]);
      run.record.secrets[worker] = [...stored].toSorted();
      run.save();
    }
  },
};

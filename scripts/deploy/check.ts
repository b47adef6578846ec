import { join } from "node:path";
import type { Setting } from "../../workers/kit/settings/settings.ts";
import { type Service, services, type Worker, workers } from "../support/services.ts";
import { loadSettings } from "../support/settings-tables.ts";
import { type Cloudflare, CloudflareError } from "./cloudflare/client.ts";
import { type Existing, readExisting } from "./cloudflare/existing.ts";
import { configsOf, type WorkerConfigs, writeConfigs } from "./config.ts";
import { requireRecord, type Surroundings, servicesWithoutKey } from "./deploy.ts";
import type { Options } from "./options.ts";
import { customDomains, type DeploymentRecord } from "./record.ts";
import { readMigrations } from "./release.ts";
import { query } from "./steps/databases.ts";
import { domainOf, isSubscribed, subscriptionOf } from "./steps/mail.ts";
import { bucketsOf, queuesOf } from "./steps/resources.ts";
import { isCurrent } from "./steps/triggers.ts";
import { settingProblems } from "./variables.ts";
import { healthOf } from "./verify.ts";

type Deployed = {
  api: Cloudflare;
  record: DeploymentRecord;
  configs: WorkerConfigs;
  existing: Existing;
  settings: Record<Worker, Setting[]>;
};

/** A Cron Trigger fires every minute. */
const CRON_MS = 5 * 60_000;

const missing = (kind: string, wanted: string[], has: (name: string) => boolean): string[] =>
  wanted.filter((name) => !has(name)).map((name) => `The ${kind} ${name} is missing. Run the deployment again.`);

function resourceProblems({ record, configs, existing }: Deployed): string[] {
  const databases = services.flatMap((service) => configs[service].d1_databases ?? []);
  const replaced = databases.filter(({ database_name, database_id }) => {
    const id = existing.databases.get(database_name);
    return id !== undefined && id !== database_id;
  });
  return [
    ...missing(
      "database",
      databases.map(({ database_name }) => database_name),
      (name) => existing.databases.has(name),
    ),
    ...replaced.map(
      ({ database_name }) => `The database ${database_name} is not the one of the record of ${record.name}.`,
    ),
    ...missing("bucket", bucketsOf(configs), (name) => existing.buckets.has(name)),
    ...missing("queue", queuesOf(configs), (name) => existing.queues.has(name)),
    ...missing(
      "Worker",
      workers.map((worker) => configs[worker].name),
      (name) => existing.scripts.has(name),
    ),
  ];
}

/** Finds queues without a consumer, or whose consumer has other settings, and Workers with other Cron Triggers. */
function triggerProblems({ configs, existing }: Deployed): string[] {
  return workers.flatMap((worker) => {
    const { name, queues, triggers } = configs[worker];
    const consumers = (queues?.consumers ?? []).flatMap((config) => {
      const own = existing.queues.get(config.queue)?.consumers.find(({ script }) => script === name);
      if (own === undefined) return [`The queue ${config.queue} has no consumer. Run the deployment again.`];
      return isCurrent(own, config)
        ? []
        : [`The consumer of ${config.queue} has other settings. Run the deployment again.`];
    });
    const current = existing.workers.get(worker);
    const isSame = current?.crons.toSorted().join() === (triggers?.crons ?? []).toSorted().join();
    const crons = current === undefined || isSame ? [] : [`${name} has other Cron Triggers. Run the deployment again.`];
    return [...consumers, ...crons];
  });
}

/** Finds secrets that the account lacks, by name. */
async function secretProblems(deployed: Deployed): Promise<string[]> {
  const { existing, configs, settings } = deployed;
  const lacking = workers.flatMap((worker) => {
    const stored = existing.workers.get(worker)?.secrets;
    if (stored === undefined) return [];
    const names = settings[worker].filter(
      ({ secret, name }) => secret !== undefined && secret !== "given" && !stored.has(name),
    );
    return names.map(
      ({ name }) => `${worker} has no secret ${name}. Run the deployment again with --secrets-file and your copy.`,
    );
  });
  const withoutKey = await servicesWithoutKey(deployed, existing, configs);
  const unknown = [...withoutKey].map(
    (service) => `email does not know the key of ${service}. Run the deployment again.`,
  );
  return [...lacking, ...unknown];
}

/** Finds variables of running Workers that the code does not know. */
function variableProblems({ record, existing, settings }: Deployed): string[] {
  const deployed = [...existing.workers].flatMap(([worker, { bindings }]) => {
    const known = new Set(settings[worker].map(({ name }) => name));
    const unknown = bindings.filter(({ type, name }) => type === "plain_text" && !known.has(name));
    return unknown.map(({ name }) => `${worker} has the variable ${name}, which the code does not know. Remove it.`);
  });
  return [...settingProblems(record, settings), ...deployed];
}

function addressProblems({ record, configs, existing }: Deployed): string[] {
  const domains = customDomains(record).flatMap(([worker, host]) => {
    const { service } = existing.domains.find(({ hostname }) => hostname === host) ?? {};
    if (service === configs[worker].name) return [];
    return [`${host} leads to ${service ?? "no Worker"} instead of ${configs[worker].name}. Run the deployment again.`];
  });
  if (record.apps === null) return domains;
  const pattern = `*.${record.apps}/*`;
  const route = existing.routes.find((entry) => entry.pattern === pattern);
  return [
    ...domains,
    ...(route?.script === configs.edge.name ? [] : [`The route ${pattern} does not lead to ${configs.edge.name}.`]),
    ...(existing.dns.length > 0 ? [] : [`The DNS record *.${record.apps} is missing. Run the deployment again.`]),
  ];
}

/** Finds DNS records that the sender's domain lacks, if the domain belongs to the zone. */
async function senderProblems({ api, record, existing }: Deployed): Promise<string[]> {
  const domain = domainOf(record.from);
  if (record.mail === "cloudflare") {
    const found = existing.sendingDomains.find(({ name }) => name === domain);
    if (found === undefined) return [`Cloudflare does not send for ${domain}. Run the deployment again.`];
    if (!isSubscribed(existing.subscriptions.get(subscriptionOf(record)), record)) {
      return [`The service does not learn which mails of ${domain} were delivered. Run the deployment again.`];
    }
    return found.enabled ? [] : [`${domain} may not send yet. Check its records in the dashboard, Email Sending.`];
  }
  if (domain !== record.zone.name && !domain.endsWith(`.${record.zone.name}`)) return [];
  const textsOf = async (name: string) =>
    (
      await api.call<{ content?: string }[]>("GET", `/zones/${record.zone.id}/dns_records`, {
        query: { type: "TXT", name },
      })
    ).map(({ content = "" }) => content.replaceAll('"', ""));
  const [spf, dmarc] = await Promise.all([textsOf(domain), textsOf(`_dmarc.${domain}`)]);
  return [
    ...(spf.some((text) => text.startsWith("v=spf1"))
      ? []
      : [`${domain} has no SPF record. Add the one of your mail provider.`]),
    ...(dmarc.some((text) => text.startsWith("v=DMARC1"))
      ? []
      : [`_dmarc.${domain} has no DMARC record. Add "v=DMARC1; p=none".`]),
  ];
}

/** Finds Workers that do not run the code of this checkout, as far as versions and migrations show it. */
async function versionProblems(deployed: Deployed, label: string, now: number): Promise<string[]> {
  const { record, configs, existing } = deployed;
  const split = [...existing.workers].filter(([, { deployments }]) => (deployments[0]?.versions.length ?? 0) > 1);
  const problems = split.map(
    ([worker]) => `The requests of ${worker} are split between two versions. Run the deployment again, or --rollback.`,
  );
  if (record.release !== label)
    problems.push(`The last complete run deployed ${record.release ?? "nothing"}, this checkout is ${label}.`);
  for (const service of services) {
    const [database] = configs[service].d1_databases ?? [];
    if (database === undefined || existing.databases.get(database.database_name) !== database.database_id) continue;
    problems.push(...(await databaseProblems(deployed, service, database.migrations_dir, now)));
  }
  return problems;
}

async function databaseProblems(deployed: Deployed, service: Service, folder: string, now: number): Promise<string[]> {
  try {
    const applied = new Set(
      (await query<{ name: string }>(deployed, service, "SELECT name FROM d1_migrations;")).map(({ name }) => name),
    );
    const pending = readMigrations(folder).filter(({ name }) => !applied.has(name));
    if (pending.length > 0)
      return [`${service} lacks ${pending.length} migrations, first ${pending[0]?.name}. Run the deployment again.`];
    const sql = "SELECT max(started_at) AS last FROM scheduled_job_runs WHERE trigger = 'scheduler';";
    const last = (await query<{ last: number | null }>(deployed, service, sql))[0]?.last ?? null;
    if (last !== null && now - last < CRON_MS) return [];
    const since =
      last === null
        ? "has not run yet. After a first deployment, wait a few minutes. Otherwise"
        : `last ran at ${new Date(last).toISOString()}:`;
    return [`The Cron Trigger of ${service} ${since} see Jobs do not run in docs/operate.md.`];
  } catch (error) {
    if (error instanceof CloudflareError && error.message.includes("no such table")) {
      return [`${service} has no tables. Run the deployment again.`];
    }
    throw error;
  }
}

async function healthProblems(deployed: Deployed, publicUrl: Surroundings["publicUrl"]): Promise<string[]> {
  const states = await Promise.all(
    services.map(async (service) => [service, await healthOf({ ...deployed, publicUrl }, service)] as const),
  );
  const command = (service: Service) => `npx wrangler tail ${deployed.configs[service].name}`;
  return states
    .filter(([, state]) => state !== "ok")
    .map(([service, state]) => `${service} reports ${state}. ${command(service)} shows why at the next request.`);
}

/** Compares an account with a deployment and prints what to do. Changes nothing there. Returns whether all is well. */
export async function checkDeployment(options: Options, at: Surroundings): Promise<boolean> {
  const record = requireRecord(options, at);
  const configs = configsOf(record);
  writeConfigs(join(at.generated, options.name), configs);
  const existing = await readExisting(at.api, record, configs);
  const deployed = { api: at.api, record, configs, existing, settings: await loadSettings() };
  const groups: [string, string[]][] = [
    ["resources", resourceProblems(deployed)],
    ["secrets", await secretProblems(deployed)],
    ["addresses", addressProblems(deployed)],
    ["sender", await senderProblems(deployed)],
    ["triggers", triggerProblems(deployed)],
    ["settings", variableProblems(deployed)],
    ["versions and jobs", await versionProblems(deployed, at.label, at.now())],
    ["health", await healthProblems(deployed, at.publicUrl)],
  ];
  for (const [title, problems] of groups) {
    at.say(`${title}: ${problems.length === 0 ? "ok" : ""}`.trim());
    for (const problem of problems) at.say(`  ${problem}`);
  }
  return groups.every(([, problems]) => problems.length === 0);
}

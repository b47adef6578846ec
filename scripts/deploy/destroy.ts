import { rmSync } from "node:fs";
import { join } from "node:path";
import { services, workers } from "../support/services.ts";
import { CloudflareError, hasCode } from "./cloudflare/client.ts";
import { readExisting } from "./cloudflare/existing.ts";
import { configsOf } from "./config.ts";
import { recordPath, requireRecord, type Surroundings } from "./deploy.ts";
import { type Options, UsageError } from "./options.ts";
import { type DeploymentRecord, serviceUrl } from "./record.ts";
import { subscriptionOf } from "./steps/mail.ts";
import { bucketsOf, queuesOf } from "./steps/resources.ts";
import { scriptPath } from "./steps/workers.ts";

/** Cloudflare's code for a bucket that has objects. */
const NOT_EMPTY = 10008;

type Removal = { label: string; path: string; query?: Record<string, string>; isBucket?: true };

/** Returns what to delete, in an order in which nothing that is deleted is still in use. */
async function findRemovals(record: DeploymentRecord, { api }: Surroundings): Promise<Removal[]> {
  const configs = configsOf(record);
  const existing = await readExisting(api, record, configs);
  const account = `/accounts/${record.account}`;
  const zone = `/zones/${record.zone.id}`;
  const own = new Set(workers.map((worker) => configs[worker].name));
  const databases = services.flatMap((service) => configs[service].d1_databases ?? []);
  const queues = queuesOf(configs).flatMap((name) => {
    const queue = existing.queues.get(name);
    return queue === undefined ? [] : [{ name, ...queue }];
  });
  return [
    ...existing.domains
      .filter(({ service }) => own.has(service))
      .map(({ hostname, id }) => ({ label: `custom domain ${hostname}`, path: `${account}/workers/domains/${id}` })),
    ...existing.routes
      .filter(({ script }) => own.has(script ?? ""))
      .map(({ pattern, id }) => ({ label: `route ${pattern}`, path: `${zone}/workers/routes/${id}` })),
    ...existing.dns.map(({ name, id }) => ({ label: `DNS record ${name}`, path: `${zone}/dns_records/${id}` })),
    ...[...existing.subscriptions.values()]
      .filter(({ name }) => name === subscriptionOf(record))
      .map(({ name, id }) => ({
        label: `event subscription ${name}`,
        path: `${account}/event_subscriptions/subscriptions/${id}`,
      })),
    ...queues.flatMap(({ id, name, consumers }) =>
      consumers
        .filter(({ script }) => own.has(script))
        .map((consumer) => ({
          label: `consumer of ${name}`,
          path: `${account}/queues/${id}/consumers/${consumer.id}`,
        })),
    ),
    // `force` also deletes the Durable Objects and bindings of other Workers of the deployment.
    ...workers
      .filter((worker) => existing.scripts.has(configs[worker].name))
      .map((worker) => ({
        label: `Worker ${configs[worker].name}`,
        path: scriptPath({ record, configs }, worker),
        query: { force: "true" },
      })),
    ...queues.map(({ id, name }) => ({ label: `queue ${name}`, path: `${account}/queues/${id}` })),
    ...bucketsOf(configs)
      .filter((name) => existing.buckets.has(name))
      .map((name) => ({ label: `bucket ${name}`, path: `${account}/r2/buckets/${name}`, isBucket: true as const })),
    ...databases.flatMap(({ database_name: name }) => {
      const id = existing.databases.get(name);
      return id === undefined
        ? []
        : [{ label: `database ${name} with all its rows`, path: `${account}/d1/database/${id}` }];
    }),
  ];
}

const urlsOf = (record: DeploymentRecord): [string, string][] =>
  services.map((service) => [`PLATFORM_${service.toUpperCase()}_URL`, serviceUrl(record, service)]);

/** Exports a deployment if the user wants it, or prints the command. Throws if the export fails. */
async function offerExport(record: DeploymentRecord, options: Options, at: Surroundings): Promise<void> {
  const { prompts, say, env, publicUrl } = at;
  const path = `${record.name}.age`;
  if (prompts === null || options.yes) {
    const urls = urlsOf(record).map(([name, url]) => `${name}=${url}`);
    const secrets = `--secrets ${options.secretsFile ?? "<copy of the secrets>"}`;
    say(
      `Export it before, while it still runs (Backups in docs/operate.md): ${urls.join(" ")} npx platform backup ${path} --recipient <age1…> ${secrets}`,
    );
    return;
  }
  if (!(await prompts.confirm(`Export all rows to ${path} before?`))) return;
  const isKey = (text: string) => (/^age1[0-9a-z]{58}$/.test(text.trim()) ? undefined : "Enter a key such as age1….");
  const recipient = await prompts.text("Public age key of who may open the export (age-keygen makes one)", "", isKey);
  const copy = options.secretsFile;
  const exportOptions = {
    recipients: [recipient.trim()],
    secrets: copy === null ? [] : [copy],
    withoutSecrets: copy === null,
  };
  const urls = Object.fromEntries(urlsOf(record).map(([name, url]) => [name, publicUrl(url)]));
  const code = await at.backup(path, exportOptions, { out: say, err: say }, { ...env, ...urls });
  if (code !== 0) throw new Error("The export failed, so nothing was deleted.");
}

/** Asks for the name of the deployment. Without a terminal, --yes and --name together replace it. */
async function requireName(options: Options, { prompts }: Surroundings): Promise<void> {
  if (options.yes && options.isNamed) return;
  if (prompts === null) {
    throw new UsageError(`Nothing was deleted. Add --yes and --name ${options.name} to delete all of this.`);
  }
  const wrong = (value: string) => (value === options.name ? undefined : `Type ${options.name} to delete all of this.`);
  await prompts.text(`Type ${options.name} to delete all of this`, "", wrong);
}

/**
 * Deletes everything of a deployment, and its record at the end. Can be repeated. Buckets with objects stay. Returns whether
 * everything was deleted.
 */
export async function destroy(options: Options, at: Surroundings): Promise<boolean> {
  const record = requireRecord(options, at);
  const removals = await findRemovals(record, at);
  at.say(`Deletes the deployment ${record.name} in ${record.zone.name} (account ${record.account})`);
  for (const { label } of removals) at.say(`  ${label}`);
  await offerExport(record, options, at);
  await requireName(options, at);
  const full: string[] = [];
  for (const { label, path, query = {}, isBucket } of removals) {
    try {
      await at.api.call("DELETE", path, { query });
    } catch (error) {
      if (isBucket && hasCode(error, NOT_EMPTY)) {
        full.push(label);
        continue;
      }
      // Deleting a Worker or queue may have deleted it too, or an earlier attempt did.
      if (!(error instanceof CloudflareError && error.status === 404)) throw error;
    }
    at.say(`  deleted ${label}`);
  }
  if (full.length > 0) {
    at.say(`${full.join(", ")} still has objects. Empty it in the dashboard (R2), then run this command again.`);
    return false;
  }
  rmSync(recordPath(options.name, at.records));
  rmSync(join(at.generated, options.name), { recursive: true, force: true });
  return true;
}

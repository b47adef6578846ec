import { type Service, services, type Worker, workers } from "../support/services.ts";
import { sizeOf } from "./build.ts";
import type { Existing } from "./cloudflare/existing.ts";
import type { WorkerConfigs } from "./config.ts";
import expectedCost from "./expected-cost.json" with { type: "json" };
import { customDomains, type DeploymentRecord } from "./record.ts";
import type { Release } from "./release.ts";
import { domainOf, subscriptionOf } from "./steps/mail.ts";
import { bucketsOf, queuesOf } from "./steps/resources.ts";
import { plannedChange } from "./steps/workers.ts";

/** The Workers Paid plan, which queues and large Durable Objects require. */
const DOLLARS_A_MONTH = 5;

type Line = { kind: string; name: string; isThere: boolean };

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`;

function resourceLines(existing: Existing, configs: WorkerConfigs, record: DeploymentRecord): Line[] {
  const line = (kind: string, name: string, isThere: boolean): Line => ({ kind, name, isThere });
  const databases = services.flatMap((service: Service) => configs[service].d1_databases ?? []);
  const isSending = existing.sendingDomains.some(({ name }) => name === domainOf(record.from));
  return [
    ...databases.map(({ database_name: name }) => line("database", name, existing.databases.has(name))),
    ...bucketsOf(configs).map((name) => line("bucket", name, existing.buckets.has(name))),
    ...queuesOf(configs)
      .toSorted()
      .map((name) => line("queue", name, existing.queues.has(name))),
    ...customDomains(record).map(([, host]) =>
      line(
        "custom domain",
        host,
        existing.domains.some(({ hostname }) => hostname === host),
      ),
    ),
    ...(record.apps === null
      ? []
      : [
          line(
            "route",
            `*.${record.apps}/*`,
            existing.routes.some(({ pattern }) => pattern === `*.${record.apps}/*`),
          ),
          line("DNS record", `*.${record.apps}`, existing.dns.length > 0),
        ]),
    ...(record.mail === "cloudflare"
      ? [
          line("sender domain", domainOf(record.from), isSending),
          line("event subscription", subscriptionOf(record), existing.subscriptions.has(subscriptionOf(record))),
        ]
      : []),
    ...workers.flatMap((worker) =>
      (configs[worker].triggers?.crons ?? []).map((cron) =>
        line(
          "cron trigger",
          `${configs[worker].name} ${cron}`,
          existing.workers.get(worker)?.crons.includes(cron) === true,
        ),
      ),
    ),
  ];
}

const releaseText = (former: string | null, label: string): string =>
  former === null || former === label ? `release ${label}` : `from release ${former} to ${label}`;

/** Returns one line for the resources of each kind that exist, and one for those that will be created. */
function groupLines(resources: readonly Line[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { kind, name, isThere } of resources) {
    const start = `  ${isThere ? "exists " : "create "} ${kind}`;
    groups.set(start, [...(groups.get(start) ?? []), name]);
  }
  return [...groups].map(([start, names]) =>
    names.length === 1 ? `${start} ${names[0]}` : `${start}s (${names.length}): ${names.join(", ")}`,
  );
}

/** Returns a line for each Worker: whether it is created, upgraded or kept, its size, start-up time and new secrets. */
async function workerLines(
  existing: Existing,
  configs: WorkerConfigs,
  release: Release,
  secrets: Record<Worker, Record<string, string>>,
): Promise<string[]> {
  return Promise.all(
    workers.map(async (worker) => {
      const { change } = await plannedChange({ existing, configs, release, secrets }, worker);
      const { bytes, gzip } = await sizeOf(release.uploads[worker]);
      const names = Object.keys(secrets[worker]);
      const { startUpMs } = release.uploads[worker];
      const startUp = startUpMs === undefined ? "" : `, starts in ${startUpMs.toFixed(0)} ms`;
      const stored = names.length === 0 ? "" : `, stores ${names.join(", ")}`;
      return `  ${change.padEnd(7)} Worker ${configs[worker].name}: ${kilobytes(bytes)}, ${kilobytes(gzip)} compressed${startUp}${stored}`;
    }),
  );
}

/** Returns the plan as lines: what exists, what will be created or upgraded, the bundles and the expected cost. */
export async function describePlan(
  {
    existing,
    configs,
    record,
    release,
  }: { existing: Existing; configs: WorkerConfigs; record: DeploymentRecord; release: Release },
  secrets: Record<Worker, Record<string, string>>,
): Promise<string[]> {
  const resources = resourceLines(existing, configs, record);
  return [
    `Deployment ${record.name} in ${record.zone.name} (account ${record.account}): ${releaseText(record.release, release.label)}`,
    ...groupLines(resources),
    ...(await workerLines(existing, configs, release, secrets)),
    `  mail: ${record.from} by ${record.mail}; first company: ${record.company}, owner ${record.owner}, staff ${record.staff}`,
    `  cost: the Workers Paid plan ($${DOLLARS_A_MONTH} a month) and about $${Math.round(expectedCost.dollars_per_million_sign_ins)} per million sign-ins beyond its included usage (npm run bench -- cost, ${expectedCost.measured_on})`,
  ];
}

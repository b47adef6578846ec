import { perWorker, type Service, services, type Worker, workers } from "../support/services.ts";
import { sizeOf } from "./build.ts";
import type { Existing } from "./cloudflare/existing.ts";
import type { WorkerConfigs } from "./config.ts";
import expectedCost from "./expected-cost.json" with { type: "json" };
import { customDomains, type DeploymentRecord } from "./record.ts";
import type { Release } from "./release.ts";
import { domainOf } from "./steps/mail.ts";
import { bucketsOf, queuesOf } from "./steps/resources.ts";

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
    ...queuesOf(configs).map((name) => line("queue", name, existing.queues.has(name))),
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
        ]),
    ...(record.mail === "cloudflare" ? [line("sender domain", domainOf(record.from), isSending)] : []),
  ];
}

/** Returns one line for the resources of each kind that exist, and one for those that will be created. */
function groupLines(resources: readonly Line[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { kind, name, isThere } of resources) {
    const start = `  ${isThere ? "exists" : "create"}  ${kind}`;
    groups.set(start, [...(groups.get(start) ?? []), name]);
  }
  return [...groups].map(([start, names]) =>
    names.length === 1 ? `${start} ${names[0]}` : `${start}s (${names.length}): ${names.join(", ")}`,
  );
}

/** Returns the plan as lines: what exists, what will be created, the bundles and the expected cost. */
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
  const sizes = new Map(
    await Promise.all(workers.map(async (worker) => [worker, await sizeOf(release.uploads[worker])] as const)),
  );
  const workerLines = perWorker((worker) => {
    const { bytes = 0, gzip = 0 } = sizes.get(worker) ?? {};
    const state = existing.workers.has(worker) ? "exists" : "create";
    const names = Object.keys(secrets[worker]);
    const { startUpMs } = release.uploads[worker];
    const startUp = startUpMs === undefined ? "" : `, starts in ${startUpMs.toFixed(0)} ms`;
    const stored = names.length === 0 ? "" : `, stores ${names.join(", ")}`;
    return `  ${state}  Worker ${configs[worker].name}: ${kilobytes(bytes)}, ${kilobytes(gzip)} compressed${startUp}${stored}`;
  });
  return [
    `Deployment ${record.name} of ${release.label} in ${record.zone.name} (account ${record.account})`,
    ...groupLines(resources),
    ...Object.values(workerLines),
    `  mail: ${record.from} by ${record.mail}; first company: ${record.company}, owner ${record.owner}, staff ${record.staff}`,
    `  cost: the Workers Paid plan ($${DOLLARS_A_MONTH} a month) and about $${Math.round(expectedCost.dollars_per_million_sign_ins)} per million sign-ins beyond its included usage (npm run bench -- cost, ${expectedCost.measured_on})`,
  ];
}

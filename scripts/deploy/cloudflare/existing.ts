import type { D1 } from "cloudflare/resources/d1/d1";
import type { Queue as QueueInfo } from "cloudflare/resources/queues/queues";
import type { DomainListResponse } from "cloudflare/resources/workers/domains";
import type { RouteListResponse } from "cloudflare/resources/workers/routes";
import type { Deployment } from "cloudflare/resources/workers/scripts/deployments";
import { type Worker, workers } from "../../support/services.ts";
import type { Binding } from "../build.ts";
import type { WorkerConfigs } from "../config.ts";
import type { DeploymentRecord } from "../record.ts";
import type { Cloudflare } from "./client.ts";

/** A Worker in the account. */
export type ExistingWorker = {
  /** the tag of the last migration of Durable Objects; absent in a placeholder */
  migrationTag: string | undefined;
  secrets: Set<string>;
  /** newest first */
  deployments: Deployment[];
  /** the tag of the version that gets all requests, which is the hash of its upload */
  tag: string | undefined;
  crons: string[];
  /** the bindings of the version that gets all requests */
  bindings: Binding[];
};
export type Consumer = { id: string; script: string; deadLetterQueue: string; settings: Record<string, unknown> };
export type Queue = { id: string; consumers: Consumer[] };
export type SendingDomain = { id: string; name: string; enabled: boolean };
/** A subscription of a queue to the events of a sending domain. */
export type Subscription = {
  id: string;
  name: string;
  enabled?: boolean;
  source?: { domain?: string };
  events?: string[];
};

/** The resources in the account that a deployment may use, by name. */
export type Existing = {
  databases: Map<string, string>;
  buckets: Set<string>;
  queues: Map<string, Queue>;
  workers: Map<Worker, ExistingWorker>;
  /** all Workers of the account */
  scripts: Set<string>;
  domains: DomainListResponse[];
  routes: RouteListResponse[];
  dns: { id: string; name: string; type: string }[];
  sendingDomains: SendingDomain[];
  subscriptions: Map<string, Subscription>;
};

type Version = { annotations?: Record<string, string>; resources?: { bindings?: Binding[] } };

/** The tag of a version in Cloudflare's annotations. */
export const tagAnnotation = "workers/tag";
export const messageAnnotation = "workers/message";

/** Returns the version that gets all requests, or undefined while requests are split. */
export function soleVersion(deployment: Deployment | undefined): string | undefined {
  return deployment?.versions.length === 1 ? deployment.versions[0]?.version_id : undefined;
}

/** Reads a Worker. `path` is its path in the API. */
async function readWorker(api: Cloudflare, path: string, migrationTag: string | undefined): Promise<ExistingWorker> {
  const [secrets, { deployments }, { schedules }] = await Promise.all([
    api.call<{ name: string }[]>("GET", `${path}/secrets`),
    api.call<{ deployments: Deployment[] }>("GET", `${path}/deployments`),
    api.call<{ schedules: { cron: string }[] }>("GET", `${path}/schedules`),
  ]);
  const version = soleVersion(deployments[0]);
  const current = version === undefined ? null : await api.call<Version>("GET", `${path}/versions/${version}`);
  return {
    migrationTag,
    secrets: new Set(secrets.map(({ name }) => name)),
    deployments,
    tag: current?.annotations?.[tagAnnotation],
    crons: schedules.map(({ cron }) => cron),
    bindings: current?.resources?.bindings ?? [],
  };
}

type RawConsumer = {
  consumer_id?: string;
  script_name?: string;
  script?: string;
  service?: string;
  dead_letter_queue?: string;
  settings?: object;
};

/** Reads a queue of the API. */
export function readQueue({ queue_id, consumers = [] }: QueueInfo): Queue {
  // The list names the Worker of a consumer `script` or `service`, the documentation `script_name`.
  const read = ({
    consumer_id = "",
    script_name,
    script,
    service,
    dead_letter_queue = "",
    settings = {},
  }: RawConsumer) => ({
    id: consumer_id,
    script: script_name ?? script ?? service ?? "",
    deadLetterQueue: dead_letter_queue,
    settings: settings as Record<string, unknown>,
  });
  return { id: queue_id ?? "", consumers: consumers.map(read) };
}

/** Reads the resources of an account that belong to a deployment. Changes nothing. */
export async function readExisting(
  api: Cloudflare,
  record: DeploymentRecord,
  configs: WorkerConfigs,
): Promise<Existing> {
  const account = `/accounts/${record.account}`;
  const zone = `/zones/${record.zone.id}`;
  const [databases, { buckets }, queues, scripts, domains, routes, dns, sendingDomains, subscriptions] =
    await Promise.all([
      api.list<D1>(`${account}/d1/database`),
      api.call<{ buckets: { name: string }[] }>("GET", `${account}/r2/buckets`, { query: { per_page: "1000" } }),
      api.list<QueueInfo>(`${account}/queues`),
      api.call<{ id: string; migration_tag?: string }[]>("GET", `${account}/workers/scripts`),
      api.call<DomainListResponse[]>("GET", `${account}/workers/domains`),
      record.apps === null ? [] : api.call<RouteListResponse[]>("GET", `${zone}/workers/routes`),
      record.apps === null
        ? []
        : api.call<Existing["dns"]>("GET", `${zone}/dns_records`, { query: { name: `*.${record.apps}` } }),
      record.mail === "cloudflare" ? api.list<SendingDomain>(`${zone}/email/sending/subdomains`) : [],
      record.mail === "cloudflare" ? api.list<Subscription>(`${account}/event_subscriptions/subscriptions`) : [],
    ]);
  const known = new Map(scripts.map(({ id, migration_tag }) => [id, migration_tag]));
  const own = workers.filter((worker) => known.has(configs[worker].name));
  const read = await Promise.all(
    own.map(async (worker): Promise<[Worker, ExistingWorker]> => {
      const { name } = configs[worker];
      return [worker, await readWorker(api, `${account}/workers/scripts/${name}`, known.get(name))];
    }),
  );
  return {
    databases: new Map(databases.map(({ name, uuid }) => [name ?? "", uuid ?? ""])),
    buckets: new Set(buckets.map(({ name }) => name)),
    queues: new Map(queues.map((queue) => [queue.queue_name ?? "", readQueue(queue)])),
    workers: new Map(read),
    scripts: new Set(known.keys()),
    domains,
    routes,
    dns,
    sendingDomains,
    subscriptions: new Map(subscriptions.map((subscription) => [subscription.name, subscription])),
  };
}

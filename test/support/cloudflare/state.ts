import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { D1 } from "cloudflare/resources/d1/d1";
import type { DomainListResponse } from "cloudflare/resources/workers/domains";
import type { RouteListResponse } from "cloudflare/resources/workers/routes";
import type { Deployment } from "cloudflare/resources/workers/scripts/deployments";

export type Binding = { type: string; name: string } & Record<string, unknown>;
export type Metadata = {
  main_module: string;
  bindings?: Binding[];
  annotations?: Record<string, string>;
  migrations?: { old_tag?: string; new_tag: string; steps: { new_sqlite_classes?: string[] }[] };
  assets?: { jwt: string };
};
/** `secrets`: all secrets of the Worker when the version was made. */
export type Version = { id: string; metadata: Metadata; modules: Record<string, string>; secrets: Map<string, string> };
export type Script = {
  name: string;
  versions: Version[];
  /** newest first, as the API lists them */
  deployments: Deployment[];
  migrationTag: string | undefined;
  classes: Set<string>;
  /** the secrets of the newest version */
  secrets: Map<string, string>;
  crons: string[];
  observability: unknown;
};
export type Consumer = {
  consumer_id: string;
  script_name: string;
  dead_letter_queue?: string;
  settings: Record<string, number>;
};
export type Queue = { queue_id: string; queue_name: string; consumers: Consumer[] };

/** The resources of one account with one zone. */
export type State = {
  account: { id: string; name: string };
  zone: { id: string; name: string };
  databases: (Required<Pick<D1, "uuid" | "name">> & { db: DatabaseSync })[];
  buckets: string[];
  /** the buckets that have objects */
  objects: Set<string>;
  queues: Queue[];
  scripts: Map<string, Script>;
  assets: Map<string, string>;
  domains: DomainListResponse[];
  routes: RouteListResponse[];
  dns: { id: string; name: string; type: string; content: string; proxied: boolean }[];
  subscriptions: {
    id: string;
    name: string;
    enabled: boolean;
    source: { type: string; zone_id: string; domain: string };
    events: string[];
    destination: { queue_id: string };
  }[];
  sendingDomains: { id: string; name: string; enabled: boolean }[];
  /** the counts of the next calls of `reencrypt`; later calls find nothing to do */
  reencryptions: Record<string, number | boolean>[];
};

export function createState(): State {
  return {
    account: { id: randomUUID().replaceAll("-", ""), name: "Aster Labs" },
    zone: { id: randomUUID().replaceAll("-", ""), name: "example.com" },
    databases: [],
    buckets: [],
    objects: new Set(),
    queues: [],
    scripts: new Map(),
    assets: new Map(),
    domains: [],
    routes: [],
    dns: [],
    subscriptions: [],
    sendingDomains: [],
    reencryptions: [],
  };
}

/** A rejection in the form of Cloudflare's API. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function openDatabase(): DatabaseSync {
  return new DatabaseSync(":memory:");
}

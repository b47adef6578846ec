import type { Lane } from "../../schemas/email/delivery/lanes";
import type { IdentityRpcMethods, OperationsRpcMethods, StorageRpcMethods } from "../../schemas/rpc";
import { openKeySet } from "../kit/auth/issuer";
import type { KeySet } from "../kit/auth/jwks";
import { createVerifiedKeys, type VerifiedKeys } from "../kit/auth/verified-keys";
import { type Clock, clock } from "../kit/clock";
import { type Databases, oneDatabase, openDb } from "../kit/db/db";
import { workerLocation } from "../kit/host";
import { type Broker, openBroker } from "../kit/jobs/lock/broker";
import { createLimiter, type Limiter } from "../kit/limits/limiter";
import type { Log } from "../kit/log";
import { oncePerIsolate } from "../kit/settings/settings";
import type { WebhooksContext } from "../kit/webhooks/context";
import type { EmailBindings, LaneMessage, StepMessage } from "./bindings";
import { type LibraryAssets, openLibraryAssets } from "./content/library/load-library";
import { type EmailKeys, keysOf } from "./keys";
import { callbackTargets } from "./records/webhooks/callback";
import { eventSeal } from "./records/webhooks/event-seal";
import { outbox } from "./records/webhooks/outbox.store";
import { type EmailSettings, settingsOf } from "./settings";

/** The dependencies of handlers and jobs. They are created once per request, cron run or queue batch. */
export type EmailServices = Databases & {
  clock: Clock;
  settings: EmailSettings;
  keys: () => Promise<EmailKeys>;
  limiter: Limiter;
  /** the only company of each service key that this isolate verified, or null when it has several */
  verifiedKeys: VerifiedKeys<{ soleCompany: number | null }>;
  log: Log;
  requestId: string;
  queues: Record<Lane | "erasures", Queue<LaneMessage>>;
  /** the queue of steps of broadcasts and newsletters, or null without a binding */
  steps: Pick<Queue<StepMessage>, "sendBatch"> | null;
  identity: { rpc: IdentityRpcMethods; fetch: Fetcher; keySet: KeySet };
  fetch: typeof fetch;
  /** the built-in designs and default contents of this Worker */
  library: LibraryAssets;
  /** uploaded logos */
  objects: R2Bucket;
  /** attachments of waiting messages */
  attachments: R2Bucket;
  /** objects of storage, or null without a binding */
  storage: StorageRpcMethods | null;
  /** the services that the job `watch` checks besides email; those without a binding are omitted */
  watched: readonly { service: string; rpc: OperationsRpcMethods }[];
  /** delivers events to the webhooks of companies and to the callbacks of service clients */
  webhooks: WebhooksContext;
  /** locks of the scheduled jobs, or null without a binding */
  broker: Broker | null;
  host: string;
  waitUntil: (work: Promise<unknown>) => void;
};

const verifiedKeysOf = oncePerIsolate((_env: EmailBindings) => createVerifiedKeys<{ soleCompany: number | null }>());
const libraryOf = oncePerIsolate((env: EmailBindings) => openLibraryAssets(env.ASSETS));
const keySetOf = oncePerIsolate((env: EmailBindings) => openKeySet(settingsOf(env).identity, env.IDENTITY));

/** Creates the services of one invocation. */
export function services(
  env: EmailBindings,
  request: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
): EmailServices {
  const settings = settingsOf(env);
  const { locks } = settings.jobs;
  const { log, requestId, waitUntil } = request;
  const databases = oneDatabase(openDb(env.DB));
  const keys = () => keysOf(env);
  const outboundFetch: typeof fetch = (input, init) => fetch(input, init);
  return {
    ...databases,
    clock,
    settings,
    keys,
    limiter: createLimiter(env.RATE_LIMITER, (failure) => log.warn("rate limiter did not respond", { ...failure })),
    verifiedKeys: verifiedKeysOf(env),
    log,
    requestId,
    queues: {
      auth: env.QUEUE_AUTH,
      transactional: env.QUEUE_TRANSACTIONAL,
      bulk: env.QUEUE_BULK,
      erasures: env.QUEUE_ERASURES,
    },
    steps: env.SERVICE_QUEUE ?? null,
    identity: { rpc: env.IDENTITY_RPC, fetch: env.IDENTITY, keySet: keySetOf(env) },
    fetch: outboundFetch,
    library: libraryOf(env),
    objects: env.FILES,
    attachments: env.ATTACHMENTS,
    storage: env.STORAGE_RPC ?? null,
    watched: Object.entries({ identity: env.IDENTITY_RPC, hosting: env.HOSTING_RPC, storage: env.STORAGE_RPC }).flatMap(
      ([service, rpc]) => (rpc === undefined ? [] : [{ service, rpc }]),
    ),
    webhooks: {
      service: "email",
      outbox,
      ...databases,
      clock,
      log,
      requestId,
      settings: settings.webhooks,
      keys: async () => (await keys()).webhooks,
      fetch: outboundFetch,
      queues: { first: env.WEBHOOKS_QUEUE ?? null, service: env.SERVICE_QUEUE ?? null },
      email: null,
      callbacks: (clientIds) => callbackTargets(databases.platformDb, keys, clientIds),
      seal: eventSeal(keys),
      failingType: "email.action_rule.failing",
      notifyOwners: (notices) => env.IDENTITY_RPC.notifyOwners({ notices }),
      waitUntil,
    },
    broker: locks === null ? null : openBroker(locks, "email", waitUntil),
    host: workerLocation("platform-email"),
    waitUntil,
  };
}

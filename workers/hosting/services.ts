import type { IdentityRpcMethods } from "../../schemas/rpc";
import { openKeySet } from "../kit/auth/issuer";
import type { KeySet } from "../kit/auth/jwks";
import { type Clock, clock } from "../kit/clock";
import { type Db, type DbOf, openDb } from "../kit/db/db";
import { workerLocation } from "../kit/host";
import { type Broker, openBroker } from "../kit/jobs/lock/broker";
import { createLimiter, type Limiter } from "../kit/limits/limiter";
import type { Log } from "../kit/log";
import { oncePerIsolate } from "../kit/settings";
import type { WebhooksContext } from "../kit/webhooks/context";
import type { HostingBindings } from "./bindings";
import { keysOf } from "./keys";
import { type HostingSettings, settingsOf } from "./settings";
import { outbox } from "./webhooks/outbox.store";

/** What rules and jobs work with; built once per request, cron or queue batch. */
export type HostingServices = {
  /** what is of no company or of several */
  db: Db;
  dbOf: DbOf;
  clock: Clock;
  settings: HostingSettings;
  limiter: Limiter;
  log: Log;
  requestId: string;
  /** locks and heartbeat of the scheduled jobs; null without a broker */
  broker: Broker | null;
  host: string;
  identity: { rpc: IdentityRpcMethods; keySet: KeySet };
  /** events that the company's webhook rules and the email service learn of */
  webhooks: WebhooksContext;
  fetch: typeof fetch;
  waitUntil: (work: Promise<unknown>) => void;
};

const keySetOf = oncePerIsolate((env: HostingBindings) => openKeySet(settingsOf(env).identity, env.IDENTITY));

/** The services of one invocation. */
export function services(
  env: HostingBindings,
  request: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
): HostingServices {
  const settings = settingsOf(env);
  const { locks } = settings.jobs;
  const db = openDb(env.DB);
  const { log, requestId, waitUntil } = request;
  const outboundFetch: typeof fetch = (input, init) => fetch(input, init);
  return {
    db,
    dbOf: () => db,
    clock,
    settings,
    limiter: createLimiter(env.RATE_LIMITER, (failure) => log.warn("rate limiter did not answer", { ...failure })),
    log,
    requestId,
    broker: locks === null ? null : openBroker(locks, "hosting", waitUntil),
    host: workerLocation("platform-hosting"),
    identity: { rpc: env.IDENTITY_RPC, keySet: keySetOf(env) },
    webhooks: {
      service: "hosting",
      outbox,
      db,
      clock,
      log,
      requestId,
      settings: settings.webhooks,
      keys: () => keysOf(env),
      fetch: outboundFetch,
      queues: { first: env.WEBHOOKS_QUEUE ?? null, service: env.SERVICE_QUEUE ?? null },
      email: env.EMAIL ?? null,
      failingType: "hosting.action_rule.failing",
      tellOwners: (notices) => env.IDENTITY_RPC.tellOwners({ notices }),
      waitUntil,
    },
    fetch: outboundFetch,
    waitUntil,
  };
}

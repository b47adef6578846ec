import type { IdentityRpcMethods } from "../../schemas/rpc";
import { type IssuerSettings, openKeySet } from "./auth/issuer";
import type { KeySet } from "./auth/jwks";
import { type Clock, clock } from "./clock";
import { type Databases, oneDatabase, openDb } from "./db/db";
import { workerLocation } from "./host";
import { type Broker, openBroker } from "./jobs/lock/broker";
import type { JobBindings, JobSettings } from "./jobs/settings";
import { createLimiter, type Limiter } from "./limits/limiter";
import type { RateLimiter } from "./limits/rate-limiter";
import type { Log } from "./log";
import { oncePerIsolate, oncePerIsolateAsync } from "./settings/settings";
import type { WebhooksContext } from "./webhooks/context";
import type { DrainMessage, FirstMessage } from "./webhooks/dispatch/messages";
import type { EventStatements } from "./webhooks/event-store/event-statements.store";
import { importWebhookKeys, type WebhookSettings } from "./webhooks/settings";

/** Bindings of a service other than identity: its database, scheduled jobs and event webhooks. */
export interface SiblingBindings extends JobBindings {
  DB: D1Database;
  /** the API documentation */
  ASSETS: Fetcher;
  RATE_LIMITER: DurableObjectNamespace<RateLimiter>;
  /** queue of first attempts; undefined only with DEBUG or in a deployment that rejects every request */
  WEBHOOKS_QUEUE?: Queue<FirstMessage> | undefined;
  /** queue of messages that start helpers of a webhook retry run */
  SERVICE_QUEUE?: Queue<DrainMessage> | undefined;
  IDENTITY: Fetcher;
  IDENTITY_RPC: IdentityRpcMethods;
  EMAIL?: Fetcher | undefined;
}

type SiblingSettings = { jobs: JobSettings; webhooks: WebhookSettings; identity: IssuerSettings };

/** The services of one invocation; built once per request, cron or queue batch. */
export type SiblingServices<Settings> = Databases & {
  clock: Clock;
  settings: Settings;
  limiter: Limiter;
  log: Log;
  requestId: string;
  /** locks and heartbeat of the scheduled jobs; null without a broker */
  broker: Broker | null;
  host: string;
  identity: { rpc: IdentityRpcMethods; keySet: KeySet };
  /** sends events to the company's webhooks and the email service */
  webhooks: WebhooksContext;
  fetch: typeof fetch;
  waitUntil: (work: Promise<unknown>) => void;
};

/**
 * Returns a function that creates the services of an invocation; call it at module level. `failingType` is the type of
 * the event that reports a failing webhook subscription.
 */
export function createSiblingServices<Env extends SiblingBindings, Settings extends SiblingSettings>(options: {
  service: string;
  settingsOf: (env: Env) => Settings;
  outbox: EventStatements;
  failingType: string;
}): (
  env: Env,
  request: { requestId: string; log: Log; waitUntil: (work: Promise<unknown>) => void },
) => SiblingServices<Settings> {
  const { service, settingsOf, outbox, failingType } = options;
  const keySetOf = oncePerIsolate((env: Env) => openKeySet(settingsOf(env).identity, env.IDENTITY));
  const keysOf = oncePerIsolateAsync((env: Env) => importWebhookKeys(settingsOf(env).webhooks));
  return (env, { log, requestId, waitUntil }) => {
    const settings = settingsOf(env);
    const { locks } = settings.jobs;
    const databases = oneDatabase(openDb(env.DB));
    const outboundFetch: typeof fetch = (input, init) => fetch(input, init);
    return {
      ...databases,
      clock,
      settings,
      limiter: createLimiter(env.RATE_LIMITER, (failure) => log.warn("rate limiter did not respond", { ...failure })),
      log,
      requestId,
      broker: locks === null ? null : openBroker(locks, service, waitUntil),
      host: workerLocation(`platform-${service}`),
      identity: { rpc: env.IDENTITY_RPC, keySet: keySetOf(env) },
      webhooks: {
        service,
        outbox,
        ...databases,
        clock,
        log,
        requestId,
        settings: settings.webhooks,
        keys: () => keysOf(env),
        fetch: outboundFetch,
        queues: { first: env.WEBHOOKS_QUEUE ?? null, service: env.SERVICE_QUEUE ?? null },
        email: env.EMAIL ?? null,
        failingType,
        notifyOwners: (notices) => env.IDENTITY_RPC.notifyOwners({ notices }),
        waitUntil,
      },
      fetch: outboundFetch,
      waitUntil,
    };
  };
}

import { createVerifiedKeys, type VerifiedKeys } from "../kit/auth/verified-keys";
import { type Clock, clock } from "../kit/clock";
import { type Databases, type Db, oneDatabase, openDb } from "../kit/db/db";
import { workerLocation } from "../kit/host";
import { uuidOfRequest } from "../kit/ids";
import { type Broker, openBroker } from "../kit/jobs/lock/broker";
import { createLimiter, type Limiter } from "../kit/limits/limiter";
import type { Log } from "../kit/log";
import { oncePerIsolate } from "../kit/settings/settings";
import type { WebhooksContext } from "../kit/webhooks/context";
import type { IdentityBindings } from "./bindings";
import { createPageLooks, type PageLooks } from "./company/page-look/page-look";
import { type IdentityKeys, keysOf } from "./keys";
import { queueNotices } from "./mail/outbox/notice";
import { outbox } from "./operations/webhooks/outbox.store";
import { type IdentitySettings, settingsOf } from "./settings";

/** The dependencies of identity's modules; built once per request, cron run or queue batch. */
export type IdentityServices = Databases & {
  /** the one database of all users and companies (`docs/decisions/one-database-per-service.md`) */
  db: Db;
  clock: Clock;
  settings: IdentitySettings;
  keys: () => Promise<IdentityKeys>;
  limiter: Limiter;
  /** the company ids of SCIM tokens that this isolate verified recently, by the SHA-256 of the token */
  verifiedScimTokens: VerifiedKeys<number>;
  /** the looks of companies that this isolate read recently */
  pageLooks: PageLooks;
  log: Log;
  requestId: string;
  /** returns the id of a new event, which identifies the request: the filter `request_id` of the event log finds it */
  newEventId: () => string;
  email: Fetcher | null;
  /** outbound requests to sign-in providers */
  fetch: typeof fetch;
  queue: IdentityBindings["SERVICE_QUEUE"];
  /** locks of the scheduled jobs; null when no lock binding is configured */
  broker: Broker | null;
  host: string;
  /** delivers events to webhooks and to the email service */
  webhooks: WebhooksContext;
  waitUntil: (work: Promise<unknown>) => void;
  /** starts the work after the response, so that it delays no statement of the request */
  afterResponse: (work: () => Promise<unknown>) => void;
};

const verifiedScimTokensOf = oncePerIsolate((_env: IdentityBindings) => createVerifiedKeys<number>());

const pageLooksOf = oncePerIsolate((_env: IdentityBindings) => createPageLooks());

/** Returns the services of one invocation. */
export function services(
  env: IdentityBindings,
  request: {
    requestId: string;
    log: Log;
    waitUntil: (work: Promise<unknown>) => void;
    afterResponse?: (work: () => Promise<unknown>) => void;
  },
): IdentityServices {
  const db = openDb(env.DB);
  const databases = oneDatabase(db);
  const settings = settingsOf(env);
  const { locks } = settings.jobs;
  const outboundFetch: typeof fetch = (input, init) => fetch(input, init);
  const identityServices: IdentityServices = {
    db,
    ...databases,
    clock,
    settings,
    keys: () => keysOf(env),
    limiter: createLimiter(env.RATE_LIMITER, (failure) =>
      request.log.warn("rate limiter did not respond", { scope: failure.scope, call: failure.call }),
    ),
    verifiedScimTokens: verifiedScimTokensOf(env),
    pageLooks: pageLooksOf(env),
    log: request.log,
    requestId: request.requestId,
    newEventId: () => uuidOfRequest(request.requestId),
    email: env.EMAIL ?? null,
    fetch: outboundFetch,
    queue: env.SERVICE_QUEUE,
    broker: locks === null ? null : openBroker(locks, "identity", request.waitUntil),
    host: workerLocation("platform-identity"),
    webhooks: {
      service: "identity",
      outbox,
      ...databases,
      clock,
      log: request.log,
      requestId: request.requestId,
      settings: settings.webhooks,
      keys: async () => (await keysOf(env)).webhooks,
      fetch: outboundFetch,
      queues: { first: env.WEBHOOKS_QUEUE ?? null, service: env.SERVICE_QUEUE },
      email: env.EMAIL ?? null,
      failingType: "identity.action_rule.failing",
      notifyOwners: (notices) => queueNotices(identityServices, notices),
      waitUntil: request.waitUntil,
    },
    waitUntil: request.waitUntil,
    afterResponse: request.afterResponse ?? ((work) => request.waitUntil(work())),
  };
  return identityServices;
}

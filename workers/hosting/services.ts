import type { IdentityRpcMethods } from "../../schemas/rpc";
import { openKeySet } from "../kit/auth/issuer";
import type { KeySet } from "../kit/auth/jwks";
import { type Clock, clock } from "../kit/clock";
import { type Db, openDb } from "../kit/db";
import { hostOf } from "../kit/host";
import { type Broker, openBroker } from "../kit/jobs/broker";
import { createLimiter, type Limiter } from "../kit/limits/limiter";
import type { Log } from "../kit/log";
import { oncePerIsolate } from "../kit/settings";
import type { HostingBindings } from "./bindings";
import { type HostingSettings, settingsOf } from "./settings";

/** What rules and jobs work with; built once per request, cron or queue batch. */
export type HostingServices = {
  db: Db;
  clock: Clock;
  settings: HostingSettings;
  limiter: Limiter;
  log: Log;
  requestId: string;
  /** locks and heartbeat of the scheduled jobs; null without a broker */
  broker: Broker | null;
  host: string;
  identity: { rpc: IdentityRpcMethods; keySet: KeySet };
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
  return {
    db: openDb(env.DB),
    clock,
    settings,
    limiter: createLimiter(env.RATE_LIMITER, (failure) =>
      request.log.warn("rate limiter did not answer", { ...failure }),
    ),
    log: request.log,
    requestId: request.requestId,
    broker: locks === null ? null : openBroker(locks, "hosting", request.waitUntil),
    host: hostOf("platform-hosting"),
    identity: { rpc: env.IDENTITY_RPC, keySet: keySetOf(env) },
    fetch: (input, init) => fetch(input, init),
    waitUntil: request.waitUntil,
  };
}

import { type Clock, clock } from "../kit/clock";
import { type Db, openDb } from "../kit/db";
import { createLimiter, type Limiter } from "../kit/limits/limiter";
import type { Log } from "../kit/log";
import type { IdentityBindings } from "./bindings";
import { type IdentityKeys, keysOf } from "./keys";
import { type IdentitySettings, settingsOf } from "./settings";

/** What rules and jobs work with; built once per request, cron or queue batch. */
export type IdentityServices = {
  db: Db;
  clock: Clock;
  settings: IdentitySettings;
  keys: () => Promise<IdentityKeys>;
  limiter: Limiter;
  log: Log;
  requestId: string;
  email: Fetcher;
  /** outbound requests to sign-in providers */
  fetch: typeof fetch;
  queue: IdentityBindings["SERVICE_QUEUE"];
  waitUntil: (work: Promise<unknown>) => void;
  /** begins the work when the answer is made, so that it delays no statement of the request */
  afterAnswer: (work: () => Promise<unknown>) => void;
};

/** The services of one invocation. */
export function services(
  env: IdentityBindings,
  request: {
    requestId: string;
    log: Log;
    waitUntil: (work: Promise<unknown>) => void;
    afterAnswer?: (work: () => Promise<unknown>) => void;
  },
): IdentityServices {
  return {
    db: openDb(env.DB),
    clock,
    settings: settingsOf(env),
    keys: () => keysOf(env),
    limiter: createLimiter(env.RATE_LIMITER, (failure) =>
      request.log.warn("rate limiter did not answer", { scope: failure.scope, call: failure.call }),
    ),
    log: request.log,
    requestId: request.requestId,
    email: env.EMAIL,
    fetch: (input, init) => fetch(input, init),
    queue: env.SERVICE_QUEUE,
    waitUntil: request.waitUntil,
    afterAnswer: request.afterAnswer ?? ((work) => request.waitUntil(work())),
  };
}

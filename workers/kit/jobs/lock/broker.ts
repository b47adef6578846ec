import { errorName } from "../../log";
import { withTimeout } from "../../timeout";
import type { JobServices } from "../job";
import type { Acquired, AcquireRequest, Holder, JobLock } from "./job-lock";

/** The timeout for calls to a lock object. */
const TIMEOUT_MS = 2000;

/** The lock object failed or did not respond within 2 s. The run is recorded with `broker_error`. */
export class BrokerError extends Error {
  override readonly name = "BrokerError";
}

/**
 * The client of the lock objects of one service. Every call throws BrokerError when there is no response within 2 s.
 */
export type Broker = {
  acquire(job: string, request: AcquireRequest): Promise<Acquired>;
  /** returns false when another run has acquired the lock, or when it was released */
  renew(job: string, token: string, ttlSeconds: number): Promise<boolean>;
  release(job: string, token: string): Promise<void>;
  holder(job: string): Promise<Holder | null>;
  ping(): Promise<"pong">;
  beat(seconds: number): Promise<void>;
  lastBeat(): Promise<number | null>;
};

/**
 * Opens the lock objects of a service. Their names are `{service}-service:scheduler:lock:{job}` and
 * `{service}-service:scheduler:beat`.
 */
export function openBroker(
  namespace: DurableObjectNamespace<JobLock>,
  service: string,
  waitUntil: (work: Promise<unknown>) => void,
): Broker {
  const stubOf = (name: string) => namespace.get(namespace.idFromName(`${service}-service:scheduler:${name}`));
  return {
    acquire: async (job, request) => {
      const stub = stubOf(`lock:${job}`);
      try {
        return await callWithTimeout("acquire", async (): Promise<Acquired> => stub.acquire(request));
      } catch (error) {
        // The lock may have been acquired anyway. Calls to one stub arrive in order, so this call releases it.
        waitUntil(callWithTimeout("release", async () => stub.release(request.token)).catch(() => undefined));
        throw error;
      }
    },
    renew: (job, token, ttlSeconds) =>
      callWithTimeout("renew", async (): Promise<boolean> => stubOf(`lock:${job}`).renew(token, ttlSeconds)),
    release: (job, token) => callWithTimeout("release", async () => stubOf(`lock:${job}`).release(token)),
    holder: (job) => callWithTimeout("holder", async (): Promise<Holder | null> => stubOf(`lock:${job}`).holder()),
    ping: () => callWithTimeout("ping", async () => stubOf("beat").ping()),
    beat: (seconds) => callWithTimeout("beat", async () => stubOf("beat").beat(seconds)),
    lastBeat: () => callWithTimeout("lastBeat", async () => stubOf("beat").lastBeat()),
  };
}

async function callWithTimeout<T>(call: string, send: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(send(), TIMEOUT_MS);
  } catch (cause) {
    throw new BrokerError(`the lock object did not respond to ${call}`, { cause });
  }
}

/**
 * The state of the broker. `reachable` is null without a binding. `beat` (unix ms) is null when there is no heartbeat, and
 * a lock when nobody holds it. Both are also null when the broker did not respond.
 */
export type BrokerView = { reachable: boolean | null; beat: number | null; locks: Map<string, Holder | null> };

/** Pings the broker and reads the heartbeat and the lock holders of `jobs`, in parallel, within 2 s. */
export async function readBroker(services: JobServices, jobs: readonly string[]): Promise<BrokerView> {
  const { broker, log } = services;
  if (broker === null) return { reachable: null, beat: null, locks: new Map() };
  const callOrLog = async <T>(call: Promise<T>): Promise<T | null> => {
    try {
      return await call;
    } catch (error) {
      log.warn("the broker did not respond", { cause: errorName(error) });
      return null;
    }
  };
  const [pong, beat, ...holders] = await Promise.all([
    callOrLog(broker.ping()),
    callOrLog(broker.lastBeat()),
    ...jobs.map((job) => callOrLog(broker.holder(job))),
  ]);
  return {
    reachable: pong !== null,
    beat: beat === null ? null : Math.round(beat * 1000),
    locks: new Map(jobs.map((job, index) => [job, holders[index] ?? null])),
  };
}

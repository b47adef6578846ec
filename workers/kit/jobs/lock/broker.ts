import { withTimeout } from "../../timeout";
import type { Acquired, AcquireRequest, Holder, JobLock } from "./job-lock";

/** How long the lock object may take (details of Document 3, sections 1 and 3.4). */
const TIMEOUT_MS = 2000;

/** The lock object failed or did not answer in 2 s; `broker_error` of a run. */
export class BrokerError extends Error {
  override readonly name = "BrokerError";
}

/** The client of the lock objects of one service. Every call throws BrokerError without an answer in 2 s. */
export type Broker = {
  acquire(job: string, request: AcquireRequest): Promise<Acquired>;
  release(job: string, token: string): Promise<void>;
  holder(job: string): Promise<Holder | null>;
  ping(): Promise<"pong">;
  beat(seconds: number): Promise<void>;
  lastBeat(): Promise<number | null>;
};

/** Opens the locks of `{service}-service`. Objects are named `{service}-service:scheduler:lock:{job}` and `…:beat`. */
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
        return await ask("acquire", async (): Promise<Acquired> => stub.acquire(request));
      } catch (error) {
        // The lock may be taken all the same; calls of one stub arrive in order, so this frees it.
        waitUntil(ask("release", async () => stub.release(request.token)).catch(() => undefined));
        throw error;
      }
    },
    release: (job, token) => ask("release", async () => stubOf(`lock:${job}`).release(token)),
    holder: (job) => ask("holder", async (): Promise<Holder | null> => stubOf(`lock:${job}`).holder()),
    ping: () => ask("ping", async () => stubOf("beat").ping()),
    beat: (seconds) => ask("beat", async () => stubOf("beat").beat(seconds)),
    lastBeat: () => ask("lastBeat", async () => stubOf("beat").lastBeat()),
  };
}

async function ask<T>(call: string, send: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(send(), TIMEOUT_MS);
  } catch (cause) {
    throw new BrokerError(`the lock object did not answer ${call}`, { cause });
  }
}

import { errorName } from "../../log";
import type { Job, JobServices } from "../job";
import { BrokerError } from "./broker";

/** The lock of a run; `acquiredAt` is in unix ms. */
export type Lock = { token: string; fence: number; acquiredAt: number };

/** The number of renewals within one lock duration. */
const RENEWALS = 4;

/**
 * Renews the lock of a run until `stop` is called, if the job sets `renewedSeconds`. `lost` rejects with a BrokerError
 * when another run has acquired the lock. A renewal without a response is retried, because the fence stays valid until
 * another run starts.
 */
export function startRenewal<S extends JobServices>(
  { broker, log }: S,
  job: Pick<Job<S>, "name" | "lockSeconds" | "renewedSeconds">,
  { token }: Lock,
): { lost: Promise<never>; stop: () => void } {
  let lose = (_error: Error) => {};
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  if (broker === null || job.renewedSeconds === undefined) return { lost, stop: () => {} };
  const renew = async () => {
    try {
      if (!(await broker.renew(job.name, token, job.lockSeconds))) lose(new BrokerError("the lock was lost"));
    } catch (error) {
      log.warn("the lock was not renewed", { job: job.name, cause: errorName(error) });
    }
  };
  const timer = setInterval(() => void renew(), (job.lockSeconds * 1000) / RENEWALS);
  return { lost, stop: () => clearInterval(timer) };
}

/** Releases a lock. An error is only logged, because the lock expires by itself. */
export async function releaseLock<S extends JobServices>(
  { broker, log }: S,
  job: Pick<Job<S>, "name">,
  lock: Lock,
): Promise<void> {
  try {
    await broker?.release(job.name, lock.token);
  } catch (error) {
    log.warn("the lock was not released; it expires by itself", { job: job.name, cause: errorName(error) });
  }
}

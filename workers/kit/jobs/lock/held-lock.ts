import { errorName } from "../../log";
import type { Job, JobServices } from "../job";
import { BrokerError } from "./broker";

/** A lock that a run has; `acquiredAt` in unix ms. */
export type Lock = { token: string; fence: number; acquiredAt: number };

/** A lock is renewed so often in its time. */
const RENEWALS = 4;

/**
 * Renews the lock of a run until `stop`, where the job asks for it; `lost` throws a BrokerError once another has had it. A
 * renewal without an answer is repeated: until another run begins the fence still holds.
 */
export function keepLock<S extends JobServices>(
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

/** Frees a lock. One that does not answer is logged: it ends by itself. */
export async function releaseLock<S extends JobServices>(
  { broker, log }: S,
  job: Pick<Job<S>, "name">,
  lock: Lock,
): Promise<void> {
  try {
    await broker?.release(job.name, lock.token);
  } catch (error) {
    log.warn("the lock was not released, it ends by itself", { job: job.name, cause: errorName(error) });
  }
}

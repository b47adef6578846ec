import { createExecutionContext, env, waitOnExecutionContext } from "cloudflare:test";
import type { JobLock } from "../../../workers/kit/jobs/lock/job-lock";
import { insertRun, setFence } from "./rows";

type Locks = DurableObjectNamespace<JobLock>;
type Scheduled<Env> = {
  scheduled: (
    event: { cron: string; scheduledTime: number },
    env: Env,
    ctx: ReturnType<typeof createExecutionContext>,
  ) => Promise<void>;
};

let lastTick = 0;

/** Returns a cron time (ms since the epoch) that is later than all earlier ones. */
export function nextTick(): number {
  lastTick = Math.max(Date.now(), lastTick + 1);
  return lastTick;
}

/** Returns a promise and a function that resolves it. */
export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Runs a Cron Trigger and waits for all its work. */
export async function tick<Env>(
  worker: Scheduled<Env>,
  bindings: Env,
  cron = "* * * * *",
  scheduledTime = nextTick(),
): Promise<void> {
  const ctx = createExecutionContext();
  await worker.scheduled({ cron, scheduledTime }, bindings, ctx);
  await waitOnExecutionContext(ctx);
}

/** Returns lock objects that only this test uses, and resets the stored fences to match. */
export async function isolatedLocks(): Promise<Locks> {
  await setFence(0);
  const { BROKER } = env as unknown as { BROKER: Locks };
  const id = crypto.randomUUID();
  return {
    idFromName: (name: string) => BROKER.idFromName(`${id}:${name}`),
    get: (object: DurableObjectId) => BROKER.get(object),
  } as unknown as Locks;
}

/** Returns a broker whose objects never respond (`hang`), or reject each call. */
export function brokenLocks(hang: boolean): Locks {
  const call = () =>
    hang ? new Promise<never>(() => {}) : Promise.reject(new Error("the Durable Object is unavailable"));
  const stub = new Proxy({}, { get: () => call });
  return { idFromName: (name: string) => name, get: () => stub } as unknown as Locks;
}

/** Returns the locks for an isolate that dies before it releases one: each release fails. */
export function unreleased(locks: Locks): Locks {
  const get = (id: DurableObjectId) => {
    const stub = locks.get(id) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const call = (name: string) =>
      name === "release" ? () => Promise.reject(new Error("the isolate ended")) : stub[name];
    return new Proxy({}, { get: (_target, name) => (name === "then" ? undefined : call(String(name))) });
  };
  return { idFromName: (name: string) => locks.idFromName(name), get } as unknown as Locks;
}

/** Stores a finished run of a job and returns its id. */
export async function storeJobRun(job: string): Promise<string> {
  const now = Date.now();
  const times = { started_at: now, finished_at: now, duration_ms: 0 };
  return String((await insertRun({ job, trigger: "command", status: "succeeded", ...times })).id);
}

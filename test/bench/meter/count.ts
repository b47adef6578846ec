import { type Entry, Tally } from "./tally.ts";

/**
 * Numbers that show whether work is in progress. Sent and received queue messages are counted per Worker, because
 * another Worker may receive them.
 */
export type Activity = { inFlight: number; counted: number; sent: number; received: number };

const tally = new Tally();

/** The activity of this Worker. */
export const activity: Activity = { inFlight: 0, counted: 0, sent: 0, received: 0 };

let durations: number[] = [];

/** Records the duration of a queue batch in ms. */
export function recordDuration(ms: number): void {
  durations.push(ms);
}

/** Returns the durations of the queue batches since the last call, in ms. */
export function takeDurations(): number[] {
  const taken = durations;
  durations = [];
  return taken;
}

/** Returns all entries since the last call. */
export const takeEntries = (): Entry[] => tally.take();

/** Counts one call, or the values in `rows`. */
export function count(
  kind: Entry["kind"],
  name: string,
  rows: { read?: number; written?: number; calls?: number } = {},
): void {
  activity.counted += 1;
  tally.add({ kind, name, calls: 1, read: 0, written: 0, ...rows });
}

/** Runs work and marks the Worker as busy until the work ends. */
export async function trackActivity<T>(work: () => Promise<T>): Promise<T> {
  activity.inFlight += 1;
  try {
    return await work();
  } finally {
    activity.inFlight -= 1;
    activity.counted += 1;
  }
}

type Method = (...values: never[]) => unknown;
/** Replaces a method of `owner` with one that calls `around`, which receives the original call. */
export function wrap(
  owner: object,
  name: string,
  around: (call: () => unknown, self: unknown, values: unknown[]) => unknown,
) {
  const original = Reflect.get(owner, name) as Method;
  const value = function (this: unknown, ...values: unknown[]) {
    return around(() => Reflect.apply(original, this, values), this, values);
  };
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}

import { type Entry, Tally } from "./tally.ts";

/** Whether anything is under way: messages of queues may be received by another Worker than their sender. */
export type Activity = { inFlight: number; counted: number; sent: number; received: number };

const tally = new Tally();

/** What is under way in this Worker. */
export const activity: Activity = { inFlight: 0, counted: 0, sent: 0, received: 0 };

/** All entries since the last time. */
export const takeEntries = (): Entry[] => tally.take();

/** Counts one call, or what `rows` says. */
export function count(
  kind: Entry["kind"],
  name: string,
  rows: { read?: number; written?: number; calls?: number } = {},
): void {
  activity.counted += 1;
  tally.add({ kind, name, calls: 1, read: 0, written: 0, ...rows });
}

/** Runs work that the Worker is busy with until it ends. */
export async function during<T>(work: () => Promise<T>): Promise<T> {
  activity.inFlight += 1;
  try {
    return await work();
  } finally {
    activity.inFlight -= 1;
    activity.counted += 1;
  }
}

type Method = (...values: never[]) => unknown;
/** Replaces a method of `owner` by what `around` makes of it. */
export function wrap(
  owner: object,
  name: string,
  around: (call: () => unknown, self: unknown, values: unknown[]) => unknown,
) {
  const own = Reflect.get(owner, name) as Method;
  const value = function (this: unknown, ...values: unknown[]) {
    return around(() => Reflect.apply(own, this, values), this, values);
  };
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}

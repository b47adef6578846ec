/** Calls to the runtime that Cloudflare bills, and the round trips to D1 that they consist of. */
type Kind =
  | "request"
  | "queue batch"
  | "statement"
  | "round trip"
  | "object call"
  | "object row"
  | "alarm set"
  | "alarm"
  | "queue message"
  | "object read"
  | "log line";

/** The count under one name. `read` and `written` are numbers of rows. */
export type Entry = { kind: Kind; name: string; calls: number; read: number; written: number };

export type Sums = Pick<Entry, "calls" | "read" | "written">;

const key = ({ kind, name }: Pick<Entry, "kind" | "name">) => `${kind}\n${name}`;

/** Entries added up by kind and name. */
export class Tally {
  readonly #entries = new Map<string, Entry>();

  /** Adds an entry, or subtracts it with a `sign` of -1. */
  add(entry: Entry, sign = 1): void {
    const { kind, name } = entry;
    const sums = this.#entries.get(key(entry)) ?? { kind, name, calls: 0, read: 0, written: 0 };
    sums.calls += sign * entry.calls;
    sums.read += sign * entry.read;
    sums.written += sign * entry.written;
    this.#entries.set(key(entry), sums);
  }

  /** Returns the sums that are not 0, and clears all. */
  take(): Entry[] {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    return entries.filter(({ calls, read, written }) => calls !== 0 || read !== 0 || written !== 0);
  }
}

/** Returns the sum of several lists of entries. */
export function addUp(...lists: Entry[][]): Entry[] {
  const tally = new Tally();
  for (const entry of lists.flat()) tally.add(entry);
  return tally.take();
}

/** Returns the difference between `entries` and `baseline`. */
export function subtract(entries: Entry[], baseline: Entry[]): Entry[] {
  const tally = new Tally();
  for (const entry of entries) tally.add(entry);
  for (const entry of baseline) tally.add(entry, -1);
  return tally.take();
}

/** Returns the sums of all entries of these kinds. */
export function sumOf(entries: Entry[], ...kinds: Kind[]): Sums {
  const sums = { calls: 0, read: 0, written: 0 };
  for (const { kind, calls, read, written } of entries) {
    if (!kinds.includes(kind)) continue;
    sums.calls += calls;
    sums.read += read;
    sums.written += written;
  }
  return sums;
}

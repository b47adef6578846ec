/** What a Worker asks of the runtime and Cloudflare bills, or what a round trip is made of. */
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
  | "log line";

/** What was counted under one name; `read` and `written` are rows. */
export type Entry = { kind: Kind; name: string; calls: number; read: number; written: number };

export type Sums = Pick<Entry, "calls" | "read" | "written">;

const key = ({ kind, name }: Pick<Entry, "kind" | "name">) => `${kind}\n${name}`;

/** Entries added up by kind and name. */
export class Tally {
  readonly #entries = new Map<string, Entry>();

  /** Adds an entry; with a negative `sign` takes it away. */
  add(entry: Entry, sign = 1): void {
    const { kind, name } = entry;
    const found = this.#entries.get(key(entry)) ?? { kind, name, calls: 0, read: 0, written: 0 };
    found.calls += sign * entry.calls;
    found.read += sign * entry.read;
    found.written += sign * entry.written;
    this.#entries.set(key(entry), found);
  }

  /** All that came to something, and forgets it. */
  take(): Entry[] {
    const taken = [...this.#entries.values()];
    this.#entries.clear();
    return taken.filter(({ calls, read, written }) => calls !== 0 || read !== 0 || written !== 0);
  }
}

/** Several lists of entries as one. */
export function addUp(...lists: Entry[][]): Entry[] {
  const tally = new Tally();
  for (const entry of lists.flat()) tally.add(entry);
  return tally.take();
}

/** What `more` has beyond `less`. */
export function subtract(more: Entry[], less: Entry[]): Entry[] {
  const tally = new Tally();
  for (const entry of more) tally.add(entry);
  for (const entry of less) tally.add(entry, -1);
  return tally.take();
}

/** The sums of all entries of a kind. */
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

import type { ClaimedRow } from "./claim.store";
import type { Result } from "./settlement.store";

/** A host is marked as quick when it responds faster than this. */
const QUICK_MS = 1000;

/** Claimed rows that wait for a slot, and the state of their hosts in this invocation. */
export type HostQueues = {
  add(rows: readonly ClaimedRow[]): void;
  /** Returns the row whose attempt may start now, or null. */
  next(): ClaimedRow | null;
  end(row: ClaimedRow, result: Result | null): void;
  /** Removes and returns every row whose attempt has not started. */
  clear(): ClaimedRow[];
  waiting(): readonly ClaimedRow[];
  /** Returns how many rows could start if slots were free. */
  ready(): number;
  running(): number;
};

/**
 * Decides which claimed row is attempted next. Subscriptions are served in round robin. A host that is marked as quick
 * may use all slots. While rows of other hosts wait, any other host gets half of the slots, and a host that did not
 * respond gets one. When all waiting rows have the same host and the host is not quick, it leaves one slot free for the
 * rows of the next claim.
 */
export function createHostQueues(slots: number): HostQueues {
  let queue: ClaimedRow[] = [];
  let running = 0;
  const perHost = new Map<string, number>();
  const hostStates = new Map<string, "quick" | "silent">();

  const slotsOf = (host: string): number => {
    const state = hostStates.get(host);
    if (state === "quick") return slots;
    const isAlone = queue.every((row) => row.host === host);
    if (isAlone) return Math.max(1, slots - 1);
    return state === "silent" ? 1 : Math.max(1, Math.floor(slots / 2));
  };

  return {
    add(rows) {
      queue.push(...inRoundRobin(rows));
    },
    next() {
      if (running >= slots) return null;
      const row = queue.find(({ host }) => (perHost.get(host) ?? 0) < slotsOf(host));
      if (row === undefined) return null;
      queue = queue.filter((other) => other !== row);
      running += 1;
      perHost.set(row.host, (perHost.get(row.host) ?? 0) + 1);
      return row;
    },
    end(row, result) {
      running -= 1;
      perHost.set(row.host, (perHost.get(row.host) ?? 1) - 1);
      if (result === null || result.status === null || result.answered === null) return;
      if (!result.answered) hostStates.set(row.host, "silent");
      else if (result.duration_ms < QUICK_MS) hostStates.set(row.host, "quick");
      else hostStates.delete(row.host);
    },
    clear() {
      const rows = queue;
      queue = [];
      return rows;
    },
    waiting: () => queue,
    ready() {
      const freeSlots = new Map<string, number>();
      return queue.filter(({ host }) => {
        const free = freeSlots.get(host) ?? slotsOf(host) - (perHost.get(host) ?? 0);
        freeSlots.set(host, free - 1);
        return free > 0;
      }).length;
    },
    running: () => running,
  };
}

/** Sorts rows in round robin: the oldest due row of each subscription, then the second oldest of each, and so on. */
function inRoundRobin(rows: readonly ClaimedRow[]): ClaimedRow[] {
  const byDue = [...rows].sort((a, b) => a.due_at - b.due_at || a.seq - b.seq);
  const rounds = new Map<number, number>();
  const rowsByRound = byDue.map((row) => {
    const turn = (rounds.get(row.rule_id) ?? 0) + 1;
    rounds.set(row.rule_id, turn);
    return { row, turn };
  });
  return rowsByRound.sort((a, b) => a.turn - b.turn).map(({ row }) => row);
}

import { DurableObject } from "cloudflare:workers";
import { clock } from "../clock";
import { DAY_MS } from "../time";
import type { Counter, Hit, Refusal, Usage, Windows } from "./sliding-window";
import { addHit, addHits, dropHits, findRefusal, mergeCounters, readUsage, removeHit } from "./sliding-window";

/** A counted call. `reservation` is the id to release it; `usage` has an entry for each of its counters. */
export type Reserved = { ok: true; reservation: string; usage: Usage[] };
export type ReserveRequest = { counters: readonly Counter[]; reservation?: string };

/** One item of a batch. `cost` (default 1) multiplies the costs of the shared counters for this item. */
export type BatchItem = { index: number; counters: readonly Counter[]; cost?: number };
export type ReserveEachRequest = { shared: readonly Counter[]; items: readonly BatchItem[]; reservation?: string };
export type BatchItemResult = { index: number; ok: true; usage: Usage[] } | (Refusal & { index: number });
export type ReservedEach = { reservation: string; results: BatchItemResult[] };

/** The part of a reservation to release: the hits with these keys and these item indexes. */
export type ReleasePart = { keys?: readonly string[]; items?: readonly number[] };

type StoredHit = [key: string, at: number, cost: number, windowMs: number, item: number];
/** The stored value of a row. */
type StoredRow = { reservation: string; hits: StoredHit[] };
/** One row: a part of a reservation. All its hits have the same time. */
type Piece = { id: number; reservation: string; hits: Hit[]; windowMs: number; end: number };

// A row can hold at most 2 MB; 1,000 hits with their keys are far smaller.
const HITS_PER_ROW = 1000;
const NO_ITEM = -1;
/**
 * Alarms and deletions are billed as written rows too. A row whose windows have ended is therefore kept this long, so
 * that a later reservation can overwrite it.
 */
const SWEEP_MS = DAY_MS;

/**
 * Exact sliding windows for the names that one object counts (a company, a user, or many addresses). The object runs
 * one call at a time, so counting and deciding are atomic. It decides in memory. It also stores each reservation as a
 * row, and restores its memory from the rows after a restart. A response leaves only after the row is durable. Later
 * reservations overwrite rows whose windows have ended; the alarm removes the remaining ones.
 */
export class RateLimiter extends DurableObject {
  private readonly windows: Windows = new Map();
  private readonly reservations = new Map<string, Piece[]>();
  /** Rows by their longest window. The rows of a queue end in order, so only its head needs to be checked. */
  private readonly queues = new Map<number, Set<Piece>>();
  /** Rows that a reservation may overwrite. */
  private ended: number[] = [];
  private lastRow = 0;
  private hasAlarm = false;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.restore();
  }

  /**
   * Counts a call on every counter, or on none when one is full. A repeated call with the same reservation id is
   * counted once.
   */
  async reserve({ counters, reservation = crypto.randomUUID() }: ReserveRequest): Promise<Reserved | Refusal> {
    const now = clock.now();
    const merged = mergeCounters(counters);
    if (this.reservations.has(reservation)) {
      return { ok: true, reservation, usage: readUsage(this.windows, merged, now) };
    }
    const refusal = findRefusal(this.windows, merged, now);
    if (refusal !== null) return refusal;
    const hits = addHits(this.windows, merged, now, NO_ITEM);
    // The usage is read before the await, because other calls may be counted during it.
    const usage = readUsage(this.windows, merged, now);
    await this.store(reservation, hits, now);
    return { ok: true, reservation, usage };
  }

  /**
   * Accepts or rejects the items of a batch in order. An item is counted on all of its own and the shared counters, or
   * on none.
   */
  async reserveEach({ shared, items, reservation = crypto.randomUUID() }: ReserveEachRequest): Promise<ReservedEach> {
    this.release(reservation);
    const now = clock.now();
    const hits: Hit[] = [];
    const results = items.map(({ index, counters, cost = 1 }): BatchItemResult => {
      const sharedCounters = shared.map((counter) => ({ ...counter, cost: (counter.cost ?? 1) * cost }));
      const merged = mergeCounters([...sharedCounters, ...counters]);
      const refusal = findRefusal(this.windows, merged, now);
      if (refusal !== null) return { ...refusal, index };
      hits.push(...addHits(this.windows, merged, now, index));
      return { ok: true, index, usage: readUsage(this.windows, merged, now) };
    });
    await this.store(reservation, hits, now);
    return { reservation, results };
  }

  /** Releases a reservation, or a part of it. Ignores unknown and ended reservations, so a call can be repeated. */
  release(reservation: string, { keys, items }: ReleasePart = {}): void {
    const pieces = this.reservations.get(reservation) ?? [];
    const keySet = keys && new Set(keys);
    const itemSet = items && new Set(items);
    const isReleased = (hit: Hit) => (keySet?.has(hit.key) ?? true) && (itemSet?.has(hit.item) ?? true);
    for (const piece of [...pieces]) {
      const released = piece.hits.filter(isReleased);
      if (released.length === 0) continue;
      for (const hit of released) removeHit(this.windows, hit);
      piece.hits = piece.hits.filter((hit) => !isReleased(hit));
      if (piece.hits.length > 0) this.write(piece);
      else {
        this.forget(piece);
        this.ctx.storage.kv.delete(rowKey(piece.id));
      }
    }
  }

  /** Removes the rows whose windows have ended, and sets the next alarm while other rows remain. */
  override async alarm(): Promise<void> {
    this.dropEnded(clock.now());
    if (this.reservations.size === 0) {
      this.ended = [];
      this.hasAlarm = false;
      await this.ctx.storage.deleteAll();
      return;
    }
    for (const id of this.ended) this.ctx.storage.kv.delete(rowKey(id));
    this.ended = [];
    await this.setAlarm();
  }

  private async store(reservation: string, hits: Hit[], now: number): Promise<void> {
    this.dropEnded(now);
    if (hits.length === 0) return;
    for (let start = 0; start < hits.length; start += HITS_PER_ROW) {
      const id = this.ended.pop() ?? this.lastRow + 1;
      this.write(this.track({ id, reservation, hits: hits.slice(start, start + HITS_PER_ROW) }));
    }
    if (this.hasAlarm) return;
    this.hasAlarm = true;
    // An alarm that was set before a restart is still set.
    if ((await this.ctx.storage.getAlarm()) === null) await this.setAlarm();
  }

  private write({ id, reservation, hits }: Piece): void {
    this.ctx.storage.kv.put<StoredRow>(rowKey(id), { reservation, hits: toStored(hits) });
  }

  private restore(): void {
    const pieces = [...this.ctx.storage.kv.list<StoredRow>({ prefix: ROW })].map(([key, { reservation, hits }]) => ({
      id: Number(key.slice(ROW.length)),
      reservation,
      hits: hits.map(([key, at, cost, windowMs, item]) => ({ key, at, cost, windowMs, item })),
    }));
    // Rows are overwritten, so their numbers are not chronological.
    for (const piece of pieces.toSorted((a, b) => (a.hits[0]?.at ?? 0) - (b.hits[0]?.at ?? 0))) {
      for (const hit of this.track(piece).hits) addHit(this.windows, hit);
    }
  }

  private track({ id, reservation, hits }: Omit<Piece, "windowMs" | "end">): Piece {
    const windowMs = longestWindow(hits);
    const piece = { id, reservation, hits, windowMs, end: (hits[0]?.at ?? 0) + windowMs };
    this.lastRow = Math.max(this.lastRow, id);
    this.reservations.set(reservation, [...(this.reservations.get(reservation) ?? []), piece]);
    const queue = this.queues.get(windowMs) ?? new Set();
    this.queues.set(windowMs, queue.add(piece));
    return piece;
  }

  private forget(piece: Piece): void {
    this.queues.get(piece.windowMs)?.delete(piece);
    const others = this.reservations.get(piece.reservation)?.filter((other) => other !== piece) ?? [];
    if (others.length > 0) this.reservations.set(piece.reservation, others);
    else this.reservations.delete(piece.reservation);
  }

  /** Marks the rows whose windows have all ended as free to overwrite, and drops their hits from memory. */
  private dropEnded(now: number): void {
    for (const queue of this.queues.values()) {
      for (const piece of queue) {
        if (piece.end > now) break;
        this.forget(piece);
        dropHits(this.windows, piece.hits, now);
        this.ended.push(piece.id);
      }
    }
  }

  private async setAlarm(): Promise<void> {
    // The platform's own clock fires the alarm, so tests that replace `clock` do not affect it.
    await this.ctx.storage.setAlarm(Date.now() + SWEEP_MS);
  }
}

function longestWindow(hits: readonly Hit[]): number {
  return hits.reduce((longest, { windowMs }) => Math.max(longest, windowMs), 0);
}

const ROW = "row:";
const rowKey = (id: number) => `${ROW}${id}`;

function toStored(hits: readonly Hit[]): StoredHit[] {
  // Cost 0 means ended or released.
  const live = hits.filter(({ cost }) => cost > 0);
  return live.map(({ key, at, cost, windowMs, item }) => [key, at, cost, windowMs, item]);
}

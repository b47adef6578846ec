import { DurableObject } from "cloudflare:workers";
import { clock } from "../clock";
import type { Counter, Hit, Refusal, Usage, Windows } from "./sliding-window";
import { addHit, addHits, dropAllEnded, findRefusal, mergeCounters, readUsage, removeHit } from "./sliding-window";

/** A counted call; `reservation` gives it back, `usage` has an entry for each of its counters. */
export type Reserved = { ok: true; reservation: string; usage: Usage[] };
export type ReserveRequest = { counters: readonly Counter[]; reservation?: string };

/** One item of a batch; `cost` (1) multiplies the cost of the shared counters for this item. */
export type BatchItem = { index: number; counters: readonly Counter[]; cost?: number };
export type ReserveEachRequest = { shared: readonly Counter[]; items: readonly BatchItem[]; reservation?: string };
export type BatchItemResult = { index: number; ok: true; usage: Usage[] } | (Refusal & { index: number });
export type ReservedEach = { reservation: string; results: BatchItemResult[] };

/** Which part of a reservation is given back: hits of these keys, and of these item indexes. */
export type ReleasePart = { keys?: readonly string[]; items?: readonly number[] };

type StoredRow = { id: number; reservation: string; hits: string };
type StoredHit = [key: string, at: number, cost: number, windowMs: number, item: number];
/** One table row: a piece of a reservation. */
type Piece = { id: number; hits: Hit[] };

// A row holds at most 2 MB; 1000 hits with their keys stay far below.
const HITS_PER_ROW = 1000;
const NO_ITEM = -1;

/**
 * Exact sliding windows for the callers of one object (one IP, address, user, token or company). The object runs one
 * call at a time, so count and decision are one step. Decisions are made in memory; each reservation is also one row,
 * from which a restarted object reads its memory back. The answer leaves only after the row is durable. An alarm
 * removes everything when the last window has ended.
 */
export class RateLimiter extends DurableObject {
  private readonly windows: Windows = new Map();
  private readonly reservations = new Map<string, Piece[]>();
  private isStored = false;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    // Without calls there is no table: an object that is only asked to release leaves no storage behind.
    const found = this.ctx.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'reservations'").toArray();
    this.isStored = found.length > 0;
    if (!this.isStored) return;
    for (const row of this.ctx.storage.sql.exec<StoredRow>(
      "SELECT id, reservation, hits FROM reservations ORDER BY id",
    )) {
      const stored = JSON.parse(row.hits) as StoredHit[];
      const hits = stored.map(([key, at, cost, windowMs, item]) => ({ key, at, cost, windowMs, item }));
      for (const hit of hits) addHit(this.windows, hit);
      this.keepPiece(row.reservation, { id: row.id, hits });
    }
  }

  /** Counts a call on every counter, or on none when one has no room. A reservation id that is held already is not counted again. */
  async reserve({ counters, reservation = crypto.randomUUID() }: ReserveRequest): Promise<Reserved | Refusal> {
    const now = clock.now();
    const merged = mergeCounters(counters);
    if (this.reservations.has(reservation)) {
      return { ok: true, reservation, usage: readUsage(this.windows, merged, now) };
    }
    const refusal = findRefusal(this.windows, merged, now);
    if (refusal !== null) return refusal;
    const hits = addHits(this.windows, merged, now, NO_ITEM);
    // Read before the wait, in which other calls may be counted.
    const usage = readUsage(this.windows, merged, now);
    await this.store(reservation, hits, now);
    return { ok: true, reservation, usage };
  }

  /** Admits or refuses the items of a batch one by one, in order, each all or nothing over its own and the shared counters. */
  async reserveEach({ shared, items, reservation = crypto.randomUUID() }: ReserveEachRequest): Promise<ReservedEach> {
    this.release(reservation);
    const now = clock.now();
    const hits: Hit[] = [];
    const results = items.map(({ index, counters, cost = 1 }): BatchItemResult => {
      const common = shared.map((counter) => ({ ...counter, cost: (counter.cost ?? 1) * cost }));
      const merged = mergeCounters([...common, ...counters]);
      const refusal = findRefusal(this.windows, merged, now);
      if (refusal !== null) return { ...refusal, index };
      hits.push(...addHits(this.windows, merged, now, index));
      return { ok: true, index, usage: readUsage(this.windows, merged, now) };
    });
    await this.store(reservation, hits, now);
    return { reservation, results };
  }

  /** Gives a reservation back, whole or in part. An unknown or ended one is nothing to do, so a repeat is harmless. */
  release(reservation: string, { keys, items }: ReleasePart = {}): void {
    const pieces = this.reservations.get(reservation);
    if (pieces === undefined) return;
    const keySet = keys && new Set(keys);
    const itemSet = items && new Set(items);
    const isReleased = (hit: Hit) => (keySet?.has(hit.key) ?? true) && (itemSet?.has(hit.item) ?? true);
    const kept: Piece[] = [];
    for (const { id, hits } of pieces) {
      const remaining = hits.filter((hit) => !isReleased(hit));
      if (remaining.length === 0) this.ctx.storage.sql.exec("DELETE FROM reservations WHERE id = ?", id);
      else if (remaining.length < hits.length) {
        this.ctx.storage.sql.exec("UPDATE reservations SET hits = ? WHERE id = ?", toJson(remaining), id);
      }
      for (const hit of hits) if (isReleased(hit)) removeHit(this.windows, hit);
      if (remaining.length > 0) kept.push({ id, hits: remaining });
    }
    if (kept.length > 0) this.reservations.set(reservation, kept);
    else this.reservations.delete(reservation);
  }

  /** Removes what has ended; the alarm stays set while something has not. */
  override async alarm(): Promise<void> {
    const now = clock.now();
    dropAllEnded(this.windows, now);
    for (const [reservation, pieces] of this.reservations) {
      const live = pieces.filter(({ hits }) => findEnd(hits) > now);
      for (const { id } of pieces.filter((piece) => !live.includes(piece))) {
        this.ctx.storage.sql.exec("DELETE FROM reservations WHERE id = ?", id);
      }
      if (live.length > 0) this.reservations.set(reservation, live);
      else this.reservations.delete(reservation);
    }
    if (this.reservations.size > 0) {
      await this.setAlarm(findEnd([...this.reservations.values()].flat().flatMap(({ hits }) => hits)), now);
    } else {
      this.isStored = false;
      await this.ctx.storage.deleteAll();
    }
  }

  private async store(reservation: string, hits: Hit[], now: number): Promise<void> {
    if (hits.length === 0) return;
    this.createTable();
    for (let start = 0; start < hits.length; start += HITS_PER_ROW) {
      const piece = hits.slice(start, start + HITS_PER_ROW);
      const insert = "INSERT INTO reservations (reservation, hits) VALUES (?, ?) RETURNING id";
      const { id } = this.ctx.storage.sql.exec<{ id: number }>(insert, reservation, toJson(piece)).one();
      this.keepPiece(reservation, { id, hits: piece });
    }
    // A set alarm is left alone: when it rings, it is set again for what came later, which saves a write per call.
    if ((await this.ctx.storage.getAlarm()) === null) await this.setAlarm(findEnd(hits), now);
  }

  private keepPiece(reservation: string, piece: Piece): void {
    const pieces = this.reservations.get(reservation);
    if (pieces === undefined) this.reservations.set(reservation, [piece]);
    else pieces.push(piece);
  }

  private createTable(): void {
    if (this.isStored) return;
    this.ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS reservations (id INTEGER PRIMARY KEY, reservation TEXT NOT NULL, hits TEXT NOT NULL)",
    );
    this.isStored = true;
  }

  private async setAlarm(end: number, now: number): Promise<void> {
    // The alarm rings by the platform's clock, whatever `clock` says.
    await this.ctx.storage.setAlarm(Date.now() + Math.max(end - now, 1));
  }
}

function findEnd(hits: readonly Hit[]): number {
  return hits.reduce((end, { at, windowMs }) => Math.max(end, at + windowMs), 0);
}

function toJson(hits: readonly Hit[]): string {
  // Cost 0 has ended or is given back.
  const live = hits.filter(({ cost }) => cost > 0);
  return JSON.stringify(live.map(({ key, at, cost, windowMs, item }): StoredHit => [key, at, cost, windowMs, item]));
}

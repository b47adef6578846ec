import { SEPARATE_LIMIT_TYPES } from "../../../../schemas/email/content/catalog";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { FieldErrors } from "../../../../schemas/errors";
import { toCounters, toRetryAfterSeconds } from "../../../kit/limits/limiter";
import { type Counter, mergeCounters, type Refusal, type Usage } from "../../../kit/limits/sliding-window";
import { errorName } from "../../../kit/log";
import type { Rate } from "../../../kit/settings/setting-types";
import { SECOND_MS } from "../../../kit/time";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { type AcceptedCount, countAccepted, countRefusals } from "./limits.store";

/**
 * Who a message goes to, for limits: the hash of the address, that by which all its subaddresses count as one, what the
 * message is counted in (the person, or the event and the person where it counts apart), and where the request names them.
 */
type Person = { hash: string; person: string; counter: string; path: string };

/** Whose messages count: `people` has one entry for each message that may be sent; `turn` as in idempotency.ts, or null. */
export type RateLimitInput = {
  companyId: number;
  lane: Exclude<Lane, "bulk">;
  /** the event that counts apart; null: all others of the lane count together */
  separateEvent: string | null;
  people: readonly Person[];
  lock: string | null;
  now: number;
};

/** Another call with the same idempotency key holds the turn. */
export type Busy = "busy";

/** A limit that a message was counted in, as its trace keeps it; `used` includes the message. */
export type LimitUsage = { name: string; used: number; limit: number };

/** A reservation that `releaseSend` gives back, and the limits of each message in the order of `Demand.people`. */
export type SendReservation = { reservation: string | null; limits: LimitUsage[][] };

type Used = Pick<Usage, "key" | "used">;
type Rates = { company: Rate; recipient: Rate };

const COMPANY_KEY = "company";
/** Longer than an accept takes; a caller that died in between blocks its key for this long only. */
const LOCK_MS = 5000;

/**
 * The counter that lets one call of an idempotency key through at a time: parallel repeats would else take the room of
 * the real limits from each other before one of them is stored.
 */
function lockCounters(lock: string | null, messages: number): Counter[] {
  return lock === null ? [] : [{ key: `turn:${lock}`, limit: messages, windowMs: LOCK_MS }];
}

function isLock(key: string): boolean {
  return key.startsWith("turn:");
}

function objectName(companyId: number): string {
  return `company:${companyId}`;
}

function ratesOf(services: EmailServices, lane: RateLimitInput["lane"]): Rates {
  const { rates } = services.settings;
  return lane === "auth"
    ? { company: rates.companyAuth, recipient: rates.recipientAuth }
    : { company: rates.companyTransactional, recipient: rates.recipientTransactional };
}

function companyCounters(lane: string, rates: Rates, cost: number): Counter[] {
  return toCounters(`${lane}:${COMPANY_KEY}`, rates.company, cost);
}

function recipientCounters(lane: string, rates: Rates, { counter }: Person): Counter[] {
  return toCounters(`${lane}:${counter}`, rates.recipient);
}

/** The limits that a message to this person was counted in; one that is off has no usage. */
function limitsOf(lane: string, rates: Rates, usage: readonly Used[], { counter }: Person): LimitUsage[] {
  const usageOf = (name: string, key: string, { limit }: Rate): LimitUsage[] => {
    const counted = usage.find((entry) => entry.key === `${lane}:${key}`);
    return counted === undefined ? [] : [{ name: `${name}_${lane}`, used: counted.used, limit }];
  };
  return [...usageOf("company", COMPANY_KEY, rates.company), ...usageOf("recipient", counter, rates.recipient)];
}

/**
 * Reserves all messages of a request, or none: 429 `company_rate_limited` or `recipient_rate_limited` with the addresses
 * that have no room.
 */
export async function reserveSend(services: EmailServices, input: RateLimitInput): Promise<SendReservation | Busy> {
  const { companyId, lane, people, lock, now } = input;
  if (people.length === 0) return { reservation: null, limits: [] };
  const rates = ratesOf(services, lane);
  const counters = [
    ...companyCounters(lane, rates, people.length),
    ...people.flatMap((one) => recipientCounters(lane, rates, one)),
  ];
  const withLock = counters.length === 0 ? [] : [...lockCounters(lock, 1), ...counters];
  const decision = await services.limiter.tryReserve(objectName(companyId), withLock);
  const toLimits = (usage: readonly Used[]) => people.map((one) => limitsOf(lane, rates, usage, one));
  if (decision.ok === true) return { reservation: decision.reservation, limits: toLimits(decision.usage) };
  if (decision.ok === false) {
    if (isLock(decision.key)) return "busy";
    throw refused(services, input, decision);
  }
  const counts = await countInDatabase(services, input, rates);
  const merged = mergeCounters(counters);
  const refusal = findRefusalByCount(merged, lane, counts, now);
  if (refusal === null) return { reservation: decision.reservation, limits: toLimits(addCosts(counts, lane, merged)) };
  // The object may have counted the call that it did not answer.
  await services.limiter.release(objectName(companyId), decision.reservation);
  throw refused(services, input, refusal);
}

/** Gives a reservation back, so that a request that stored nothing uses nothing up. */
export async function releaseSend(
  services: EmailServices,
  companyId: number,
  reservation: string | null,
): Promise<void> {
  if (reservation !== null) await services.limiter.release(objectName(companyId), reservation);
}

/** Why a message of a batch is refused, and the seconds until it would fit. */
export type LimitRefusal = { error_code: "company_rate_limited" | "recipient_rate_limited"; retry_after: number };

/** The outcome of each message of a batch, in the order of `demand.people`; null means admitted, with its limits. */
export type EachDecision = SendReservation & { refusals: (LimitRefusal | null)[] };

/** Admits or refuses the messages of a batch one by one, in order, in one call. */
export async function reserveEachSend(services: EmailServices, input: RateLimitInput): Promise<EachDecision | Busy> {
  const { companyId, lane, people, lock, now } = input;
  if (people.length === 0) return { reservation: null, refusals: [], limits: [] };
  const rates = ratesOf(services, lane);
  const shared = companyCounters(lane, rates, 1);
  const items = people.map((one, index) => ({ index, one, counters: recipientCounters(lane, rates, one) }));
  // One unit of the turn for each item: who comes second finds no room for any.
  const withLock = [...lockCounters(lock, people.length), ...shared];
  const decision = await services.limiter.tryReserveEach(objectName(companyId), withLock, items);
  if (decision.ok === true) {
    if (decision.results.some((result) => !result.ok && isLock(result.key))) {
      await services.limiter.release(objectName(companyId), decision.reservation);
      return "busy";
    }
    const { results } = decision;
    const refusals = results.map((result) => (result.ok ? null : toRefusal(lane, result)));
    countEach(services, input, refusals);
    const limits = items.map(({ one }, index) => {
      const result = results[index];
      return result?.ok ? limitsOf(lane, rates, result.usage, one) : [];
    });
    return { reservation: decision.reservation, refusals, limits };
  }
  const used = await countInDatabase(services, input, rates);
  const limits: LimitUsage[][] = [];
  const refusals = items.map(({ one, counters }, index) => {
    const merged = mergeCounters([...shared, ...counters]);
    const refusal = findRefusalByCount(merged, lane, used, now);
    if (refusal !== null) return toRefusal(lane, refusal);
    limits[index] = limitsOf(lane, rates, addCosts(used, lane, merged), one);
    return null;
  });
  countEach(services, input, refusals);
  return { reservation: decision.reservation, refusals, limits };
}

function countEach(services: EmailServices, input: RateLimitInput, refusals: readonly (LimitRefusal | null)[]): void {
  countLater(
    services,
    input,
    refusals.flatMap((refusal) => refusal?.error_code ?? []),
  );
}

/** Counts refusals for the scrape after the answer: one that is lost is a figure that is too low by it. */
function countLater(
  { dbOf, log, waitUntil }: EmailServices,
  { companyId, lane }: RateLimitInput,
  codes: readonly LimitRefusal["error_code"][],
): void {
  if (codes.length === 0) return;
  const refusals: Record<string, number> = {};
  for (const code of codes) {
    const name = `${code === "company_rate_limited" ? "company" : "recipient"}_${lane}`;
    refusals[name] = (refusals[name] ?? 0) + 1;
  }
  const counted = dbOf(companyId).run(countRefusals({ companyId, refusals }));
  waitUntil(counted.catch((error) => log.warn("refusals were not counted", { cause: errorName(error) })));
}

function toRefusal(lane: string, refusal: Refusal): LimitRefusal {
  return { error_code: codeOf(lane, refusal.key), retry_after: toRetryAfterSeconds(refusal) };
}

function codeOf(lane: string, key: string): LimitRefusal["error_code"] {
  return key === `${lane}:${COMPANY_KEY}` ? "company_rate_limited" : "recipient_rate_limited";
}

function refused(services: EmailServices, input: RateLimitInput, refusal: Refusal): Problem {
  const { lane, people } = input;
  const code = codeOf(lane, refusal.key);
  countLater(services, input, [code]);
  const field_errors: FieldErrors = {};
  if (code === "recipient_rate_limited") {
    for (const { counter, path } of people) {
      if (refusal.refusedKeys.includes(`${lane}:${counter}`)) field_errors[`${path}.email`] = [code];
    }
  }
  return new Problem(code, {
    field_errors,
    headers: { "retry-after": String(toRetryAfterSeconds(refusal)) },
    extra: { rate: { limit: refusal.limit, window_seconds: refusal.windowMs / SECOND_MS } },
  });
}

/** What was accepted, with `hash` the counter: of subaddresses, those of this request. */
async function countInDatabase(services: EmailServices, input: RateLimitInput, rates: Rates): Promise<AcceptedCount[]> {
  const { companyId, lane, separateEvent, people, now } = input;
  const rows = await services.dbOf(companyId).all(
    countAccepted({
      companyId,
      lane,
      isApart: separateEvent !== null,
      apart: separateEvent === null ? SEPARATE_LIMIT_TYPES : [separateEvent],
      companySince: now - rates.company.windowMs,
      recipientSince: now - rates.recipient.windowMs,
      hashes: [...new Set(people.flatMap(({ hash, person }) => [hash, person]))],
    }),
  );
  const counterOf = new Map(
    people.flatMap(({ hash, person, counter }) => [hash, person].map((hashKey) => [hashKey, counter])),
  );
  const counts = new Map<string, AcceptedCount>();
  for (const { hash, used, oldest } of rows) {
    const counter = counterOf.get(hash) ?? hash;
    const before = counts.get(counter);
    const first = Math.min(before?.oldest ?? Number.POSITIVE_INFINITY, oldest ?? Number.POSITIVE_INFINITY);
    counts.set(counter, {
      hash: counter,
      used: used + (before?.used ?? 0),
      oldest: Number.isFinite(first) ? first : null,
    });
  }
  return [...counts.values()];
}

function countFor(counts: readonly AcceptedCount[], name: string): AcceptedCount | undefined {
  return counts.find(({ hash }) => hash === (name === COMPANY_KEY ? "" : name));
}

/** Counts a message that the database admitted, and answers what its counters hold then. */
function addCosts(counts: AcceptedCount[], lane: string, counters: readonly Required<Counter>[]): Used[] {
  return counters.map(({ key, cost }) => {
    const name = key.slice(lane.length + 1);
    const existing = countFor(counts, name);
    const count = existing ?? { hash: name, used: 0, oldest: null };
    if (existing === undefined) counts.push(count);
    count.used += cost;
    return { key, used: count.used };
  });
}

function findRefusalByCount(
  counters: readonly Required<Counter>[],
  lane: string,
  counts: readonly AcceptedCount[],
  now: number,
): Refusal | null {
  const exhausted = counters.filter(({ key, limit, cost }) => {
    const used = countFor(counts, key.slice(lane.length + 1))?.used ?? 0;
    return used + cost > limit;
  });
  const first = exhausted[0];
  if (first === undefined) return null;
  const oldest = countFor(counts, first.key.slice(lane.length + 1))?.oldest ?? null;
  const retryAfterMs = oldest === null ? first.windowMs : Math.max(1, oldest + first.windowMs - now);
  const { key, limit, windowMs } = first;
  return { ok: false, key, limit, windowMs, retryAfterMs, refusedKeys: exhausted.map((counter) => counter.key) };
}

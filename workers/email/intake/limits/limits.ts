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
import { type AcceptedCount, countAccepted, countRateLimited } from "./limits.store";

/**
 * The recipient of a message. `hash` is the hash of the address, `person` the hash of the address without its subaddress.
 * `counter` is the key of the recipient counter. `path` is the position of the recipient in the request.
 */
type Person = { hash: string; person: string; counter: string; path: string };

/** The messages to count. `people` has one entry per message that may be sent. `lock` is `Idempotency.lock`, or null. */
export type RateLimitInput = {
  companyId: number;
  lane: Exclude<Lane, "bulk">;
  /** the event type with its own recipient limit; null: the event shares the limit of its lane */
  separateEvent: string | null;
  people: readonly Person[];
  lock: string | null;
  now: number;
};

/** Another call with the same idempotency key holds the lock. */
export type Locked = "locked";

/** A limit that counted a message, as stored in the trace. `used` includes the message. */
export type LimitUsage = { name: string; used: number; limit: number };

/** `reservation` can be released with `releaseSend`. `limits` has one entry per element of `RateLimitInput.people`. */
export type SendReservation = { reservation: string | null; limits: LimitUsage[][] };

type Used = Pick<Usage, "key" | "used">;
type Rates = { company: Rate; recipient: Rate };

const COMPANY_KEY = "company";
/** The duration of a lock. It is longer than an acceptance takes. After a crash, the key is blocked no longer than this. */
const LOCK_MS = 5000;

/**
 * Returns the counter that works as a lock: it admits one call per idempotency key at a time. Without the lock, parallel
 * repeats of a request would all count towards the limits before the first one is stored.
 */
function lockCounters(lock: string | null, messages: number): Counter[] {
  return lock === null ? [] : [{ key: `lock:${lock}`, limit: messages, windowMs: LOCK_MS }];
}

function isLock(key: string): boolean {
  return key.startsWith("lock:");
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

/** Returns the limits that counted a message to this person. Disabled limits are omitted. */
function limitsOf(lane: string, rates: Rates, usage: readonly Used[], { counter }: Person): LimitUsage[] {
  const usageOf = (name: string, key: string, { limit }: Rate): LimitUsage[] => {
    const counted = usage.find((entry) => entry.key === `${lane}:${key}`);
    return counted === undefined ? [] : [{ name: `${name}_${lane}`, used: counted.used, limit }];
  };
  return [...usageOf("company", COMPANY_KEY, rates.company), ...usageOf("recipient", counter, rates.recipient)];
}

/**
 * Reserves the limits for all messages of a request or for none. Returns "locked" when another call holds the lock. Throws 429
 * `company_rate_limited`, or `recipient_rate_limited` with the fields of the limited addresses.
 */
export async function reserveSend(services: EmailServices, input: RateLimitInput): Promise<SendReservation | Locked> {
  const { companyId, lane, people, lock, now } = input;
  if (people.length === 0) return { reservation: null, limits: [] };
  const rates = ratesOf(services, lane);
  const counters = [
    ...companyCounters(lane, rates, people.length),
    ...people.flatMap((person) => recipientCounters(lane, rates, person)),
  ];
  const withLock = counters.length === 0 ? [] : [...lockCounters(lock, 1), ...counters];
  const decision = await services.limiter.tryReserve(objectName(companyId), withLock);
  const toLimits = (usage: readonly Used[]) => people.map((person) => limitsOf(lane, rates, usage, person));
  if (decision.ok === true) return { reservation: decision.reservation, limits: toLimits(decision.usage) };
  if (decision.ok === false) {
    if (isLock(decision.key)) return "locked";
    throw rateLimitProblem(services, input, decision);
  }
  const counts = await countInDatabase(services, input, rates);
  const merged = mergeCounters(counters);
  const refusal = findRejectionByCount(merged, lane, counts, now);
  if (refusal === null) return { reservation: decision.reservation, limits: toLimits(addCosts(counts, lane, merged)) };
  // The rate limiter may have counted the call although its response did not arrive.
  await services.limiter.release(objectName(companyId), decision.reservation);
  throw rateLimitProblem(services, input, refusal);
}

/**
 * Counts one mail of a company in a lane without its recipient, so that the result says nothing about the recipient. Throws 429
 * `company_rate_limited`. Counters in this isolate decide when the object does not respond. Returns the reservation.
 */
export async function reserveCompanyMail(
  services: EmailServices,
  companyId: number,
  lane: RateLimitInput["lane"],
): Promise<string> {
  const counters = companyCounters(lane, ratesOf(services, lane), 1);
  const decision = await services.limiter.reserve(objectName(companyId), counters);
  if (decision.ok) return decision.reservation;
  throw rateLimitProblem(services, { companyId, lane, people: [] }, decision);
}

/** Releases a reservation, so that a request that was not stored does not count. */
export async function releaseSend(
  services: EmailServices,
  companyId: number,
  reservation: string | null,
): Promise<void> {
  if (reservation !== null) await services.limiter.release(objectName(companyId), reservation);
}

/** The reason why a message of a batch is rejected. `retry_after` is in seconds. */
export type RateLimitRejection = { error_code: "company_rate_limited" | "recipient_rate_limited"; retry_after: number };

/** The decision for each message of a batch, in the order of `RateLimitInput.people`. A null rejection admits the message. */
export type BatchReservation = SendReservation & { rejections: (RateLimitRejection | null)[] };

/** Admits or rejects each message of a batch in order. Returns "locked" when another call holds the lock. */
export async function reserveEachSend(
  services: EmailServices,
  input: RateLimitInput,
): Promise<BatchReservation | Locked> {
  const { companyId, lane, people, lock, now } = input;
  if (people.length === 0) return { reservation: null, rejections: [], limits: [] };
  const rates = ratesOf(services, lane);
  const shared = companyCounters(lane, rates, 1);
  const items = people.map((person, index) => ({ index, person, counters: recipientCounters(lane, rates, person) }));
  // Each message uses one unit of the lock. One call uses all units, so a parallel call cannot get any.
  const withLock = [...lockCounters(lock, people.length), ...shared];
  const decision = await services.limiter.tryReserveEach(objectName(companyId), withLock, items);
  if (decision.ok === true) {
    if (decision.results.some((result) => !result.ok && isLock(result.key))) {
      await services.limiter.release(objectName(companyId), decision.reservation);
      return "locked";
    }
    const { results } = decision;
    const rejections = results.map((result) => (result.ok ? null : toRejection(lane, result)));
    countRejections(services, input, rejections);
    const limits = items.map(({ person }, index) => {
      const result = results[index];
      return result?.ok ? limitsOf(lane, rates, result.usage, person) : [];
    });
    return { reservation: decision.reservation, rejections, limits };
  }
  const used = await countInDatabase(services, input, rates);
  const limits: LimitUsage[][] = [];
  const rejections = items.map(({ person, counters }, index) => {
    const merged = mergeCounters([...shared, ...counters]);
    const refusal = findRejectionByCount(merged, lane, used, now);
    if (refusal !== null) return toRejection(lane, refusal);
    limits[index] = limitsOf(lane, rates, addCosts(used, lane, merged), person);
    return null;
  });
  countRejections(services, input, rejections);
  return { reservation: decision.reservation, rejections, limits };
}

function countRejections(
  services: EmailServices,
  input: RateLimitInput,
  rejections: readonly (RateLimitRejection | null)[],
): void {
  countInBackground(
    services,
    input,
    rejections.flatMap((rejection) => rejection?.error_code ?? []),
  );
}

/** Adds rate-limited messages to the metrics after the response. A failure only makes the metric too low. */
function countInBackground(
  { dbOf, log, waitUntil }: EmailServices,
  { companyId, lane }: Pick<RateLimitInput, "companyId" | "lane">,
  codes: readonly RateLimitRejection["error_code"][],
): void {
  if (codes.length === 0) return;
  const rejections: Record<string, number> = {};
  for (const code of codes) {
    const name = `${code === "company_rate_limited" ? "company" : "recipient"}_${lane}`;
    rejections[name] = (rejections[name] ?? 0) + 1;
  }
  const counted = dbOf(companyId).run(countRateLimited({ companyId, rejections }));
  waitUntil(counted.catch((error) => log.warn("rate-limited messages were not counted", { cause: errorName(error) })));
}

function toRejection(lane: string, refusal: Refusal): RateLimitRejection {
  return { error_code: codeOf(lane, refusal.key), retry_after: toRetryAfterSeconds(refusal) };
}

function codeOf(lane: string, key: string): RateLimitRejection["error_code"] {
  return key === `${lane}:${COMPANY_KEY}` ? "company_rate_limited" : "recipient_rate_limited";
}

function rateLimitProblem(
  services: EmailServices,
  input: Pick<RateLimitInput, "companyId" | "lane" | "people">,
  refusal: Refusal,
): Problem {
  const { lane, people } = input;
  const code = codeOf(lane, refusal.key);
  countInBackground(services, input, [code]);
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

/**
 * Returns the number of accepted messages per counter; `hash` is the counter key. Mail to another subaddress of a person counts
 * only if this request also sends to it.
 */
async function countInDatabase(services: EmailServices, input: RateLimitInput, rates: Rates): Promise<AcceptedCount[]> {
  const { companyId, lane, separateEvent, people, now } = input;
  const rows = await services.dbOf(companyId).all(
    countAccepted({
      companyId,
      lane,
      isSeparate: separateEvent !== null,
      separateTypes: separateEvent === null ? SEPARATE_LIMIT_TYPES : [separateEvent],
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
    const total = counts.get(counter);
    const earliest = Math.min(total?.oldest ?? Number.POSITIVE_INFINITY, oldest ?? Number.POSITIVE_INFINITY);
    counts.set(counter, {
      hash: counter,
      used: used + (total?.used ?? 0),
      oldest: Number.isFinite(earliest) ? earliest : null,
    });
  }
  return [...counts.values()];
}

function countFor(counts: readonly AcceptedCount[], name: string): AcceptedCount | undefined {
  return counts.find(({ hash }) => hash === (name === COMPANY_KEY ? "" : name));
}

/** Adds messages to the counts from the database. Returns the usage of their counters. */
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

function findRejectionByCount(
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

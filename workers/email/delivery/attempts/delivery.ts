import { directIdOf } from "../../../../db/email/conditions/direct";
import type { MessageRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { Db } from "../../../kit/db/db";
import { uuid } from "../../../kit/ids";
import { type CompanyRow, chunk, groupByDb } from "../../../kit/outbox/queue-message";
import { SECOND_MS } from "../../../kit/time";
import type { EmailKeys } from "../../keys";
import { hashAddress } from "../../records/seal/address";
import { openAddress } from "../../records/seal/seal";
import type { EmailServices } from "../../services";
import { removeUnusedAttachments } from "../attachments/attachments";
import { findRemovedRecipients } from "../bulk/members";
import { BULK_SIZE, type BulkPace, bulkPace, UNLIMITED } from "../bulk/pace";
import { applyStoredEvents } from "../provider-events/receive";
import { enqueueMessageIds } from "../queue/lane-message";
import { fingerprintPlatform, type Sender } from "../sender/sender";
import {
  type Attempted,
  composeMessage,
  createSlots,
  type PreparedMessage,
  prepareMessage,
  type ReadyMessage,
  sendGroup,
  type UnsentMessage,
} from "./attempt";
import { createBreakers } from "./breaker";
import { FAILURE_WEIGHT } from "./breaker.store";
import { claimMessages, findBlockedByOthers, type OtherHash } from "./claim.store";
import { storeExpiries } from "./expiry";
import { type AttemptContext, settleAttempt, settlePostponed, settleRelease, storeSettlements } from "./settlement";
import type { BreakerChanges, CredentialPause, Settlement } from "./settlement.store";

/** Maximum number of messages per claim, by lane. */
const CLAIM_SIZE: Readonly<Record<Lane, number>> = { auth: 10, transactional: 50, bulk: BULK_SIZE };
/** Maximum number of messages per invocation. */
const INVOCATION_SIZE = 300;
const PARALLEL_ATTEMPTS = 5;
/** The last part of a lease is reserved for storing results. Attempts end before it. */
const STORE_RESERVE_MS = 5000;
/** The wait after identity did not respond whether recipients are still members. */
const CHECK_AGAIN_MS = 30 * SECOND_MS;

/** A message that waits for its next attempt. */
type Waiting = CompanyRow & { waitSeconds: number };

/** The result of a claim: the number of claimed messages and the messages to retry. */
type Delivered = { claimed: number; waiting: Waiting[] };

type Run = {
  services: EmailServices;
  keys: EmailKeys;
  db: Db;
  lane: Lane;
  leaseMs: number;
  isSync: boolean;
  platformFingerprint: string;
  /** number of messages by new status, for the log line */
  outcomes: Record<string, number>;
};

/**
 * Claims the due ones of `messages` in the databases of their companies, attempts them and stores the results. With `sync`,
 * retries immediately until every message has a final status. Returns the number of messages by new status.
 * Throws a DatabaseError when a database is unavailable; the leases then expire and the sweep enqueues the messages again.
 */
export async function deliverNow(
  services: EmailServices,
  messages: readonly CompanyRow[],
  lane: Lane,
  { sync = false }: { sync?: boolean } = {},
): Promise<Readonly<Record<string, number>>> {
  const shared = await createRun(services, lane, sync);
  const uniqueMessages = [...new Map(messages.map((message) => [message.id, message])).values()];
  const claimable = sync ? uniqueMessages : uniqueMessages.slice(0, INVOCATION_SIZE);
  const waiting: Waiting[] = [];
  for (const [db, rows] of groupByDb(services, claimable)) {
    const run = { ...shared, db };
    if (lane === "bulk") waiting.push(...(await deliverBulk(run, rows)));
    else {
      for (const part of chunk(rows, CLAIM_SIZE[lane])) waiting.push(...(await deliverPart(run, part, null)).waiting);
    }
  }
  services.log.note(shared.outcomes);
  await enqueueAgain(services, lane, [
    ...waiting,
    ...uniqueMessages.slice(claimable.length).map((row) => ({ ...row, waitSeconds: 0 })),
  ]);
  return shared.outcomes;
}

/** Delivers messages of one claim; in synchronous mode, until no message is due. */
async function deliverPart(run: Run, part: readonly CompanyRow[], intervalMs: number | null): Promise<Delivered> {
  const first = await deliverClaim(run, part, intervalMs);
  let { waiting } = first;
  // A message that waits in synchronous mode waits for a service, which may not respond for a long time.
  const isDue = ({ waitSeconds }: Waiting) => waitSeconds === 0;
  while (run.isSync && waiting.some(isDue)) {
    const again = await deliverClaim(run, waiting.filter(isDue), intervalMs);
    waiting = [...waiting.filter((row) => !isDue(row)), ...again.waiting];
  }
  return { claimed: first.claimed, waiting };
}

/**
 * Delivers bulk messages company by company at the pace of each. When the pace of a company allows no more, its remaining
 * messages wait, so that they do not occupy the consumer.
 */
async function deliverBulk(run: Run, rows: readonly CompanyRow[]): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  const companies = new Map<number | null, CompanyRow[]>();
  for (const row of rows) companies.set(row.company_id, [...(companies.get(row.company_id) ?? []), row]);
  for (const [companyId, messages] of companies) {
    const pace = run.isSync ? UNLIMITED : bulkPace(run.services, companyId);
    const parts = chunk(messages, pace.claimSize);
    for (const [index, part] of parts.entries()) {
      const delivered = await deliverPaced(run, part, pace);
      if (typeof delivered === "number") {
        const rest = parts.slice(index).flat();
        waiting.push(...rest.map((row) => ({ ...row, waitSeconds: delivered })));
        break;
      }
      waiting.push(...delivered);
    }
  }
  return waiting;
}

/** Delivers one claim of bulk mail. Returns the messages to retry, or the seconds to wait when the pace does not allow it. */
async function deliverPaced(run: Run, part: readonly CompanyRow[], pace: BulkPace): Promise<Waiting[] | number> {
  const reservation = await pace.reserve(part.length);
  if (!reservation.ok) return reservation.waitSeconds;
  let isUsed = true;
  try {
    const { claimed, waiting } = await deliverPart(run, part, pace.intervalMs);
    // A repeated wake-up message finds nothing to send.
    isUsed = claimed > 0;
    return waiting;
  } finally {
    await (isUsed ? reservation.end() : reservation.release());
  }
}

async function createRun(services: EmailServices, lane: Lane, isSync: boolean): Promise<Omit<Run, "db">> {
  const { settings } = services;
  const keys = await services.keys();
  return {
    services,
    keys,
    lane,
    leaseMs: lane === "auth" ? settings.leaseMs.auth : settings.leaseMs.other,
    isSync,
    platformFingerprint: await fingerprintPlatform(settings, keys),
    outcomes: {},
  };
}

/**
 * Claims messages, attempts them and stores the results under one lease. Returns the messages to retry. Takes at least one
 * round trip for the claim and one per sender.
 */
async function deliverClaim(
  run: Run,
  requestedRows: readonly CompanyRow[],
  intervalMs: number | null,
): Promise<Delivered> {
  const { services, keys, db, lane, leaseMs, isSync, platformFingerprint } = run;
  const now = services.clock.now();
  const token = uuid();
  const claim = await claimMessages(db, {
    ids: requestedRows.map(({ id }) => id),
    token,
    lane,
    now,
    leaseMs,
    dueUntil: isSync ? Number.MAX_SAFE_INTEGER : now,
    platformFingerprint,
  });
  if (claim.rows.length === 0) return { claimed: 0, waiting: await expire(run, claim.expired, now) };
  const others = await hashElsewhere(claim.rows, keys);
  const blocked = others.length > 0 ? await db.all(findBlockedByOthers({ token, hashes: others, now })) : [];
  for (const { id, code } of blocked) claim.blocked.set(id, code);
  const removed = lane === "bulk" ? await findRemovedRecipients(services, claim) : new Set<string>();
  for (const id of removed ?? []) claim.blocked.set(id, "recipient_removed");
  const cutoff = now + leaseMs - STORE_RESERVE_MS;
  const breakers = createBreakers(claim.breakers, {
    now,
    primaryProvider: services.settings.platformTransport,
    canWait: lane !== "auth" && !isSync,
  });
  const compose = (message: ReadyMessage) => composeMessage(services, keys, db, claim, message);
  const context = { cutoff, leaseMs, inSlot: createSlots(PARALLEL_ATTEMPTS), breakers, compose, intervalMs };
  const scheduledAt = ({ message: { row } }: Attempted) => claim.directs.get(directIdOf(row.id))?.scheduled_at;
  // Never sends to a user who may have left the company.
  const prepare = async (row: MessageRow): Promise<PreparedMessage> =>
    removed === null && row.to_user_id !== null
      ? { row, checkAt: services.clock.now() + CHECK_AGAIN_MS }
      : prepareMessage(services, keys, claim, row, breakers);
  const prepared = await Promise.all(claim.rows.map(prepare));
  const groups = [...groupBySender(prepared).values()];
  const messages = new Map(claim.rows.map((row) => [row.id, row]));
  const tasks = [
    expire(run, claim.expired, now),
    storeResults(
      run,
      messages,
      prepared.flatMap((message) => (isReady(message) ? [] : [settleUnsent(run, message)])),
      [],
    ),
    ...groups.map(async (group) => {
      const waiting: Waiting[] = [];
      await sendGroup(services, group, context, async (attempted) => {
        const settlements = attempted.map((result) =>
          "row" in result
            ? settleUnsent(run, result)
            : settleSent(run, result, { breaker: breakers.markOf(result.message), scheduledAt: scheduledAt(result) }),
        );
        const pauses = attempted.flatMap((result) => ("row" in result ? [] : pauseOf(run, result)));
        waiting.push(...(await storeResults(run, messages, settlements, pauses)));
      });
      return waiting;
    }),
  ];
  // A failure to store the results of one sender must not lose the results of the other senders.
  const stored = await Promise.allSettled(tasks);
  const failure = stored.find((result) => result.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  const waiting = stored.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  return { claimed: claim.rows.length, waiting };
}

/**
 * Returns the hashes of the addresses under which the claim did not look for suppressions and unsubscribes. During a rotation of
 * the pepper, a message that waited and the rows that block its address may have the hash of either pepper.
 */
async function hashElsewhere(rows: readonly MessageRow[], keys: EmailKeys): Promise<OtherHash[]> {
  if (keys.peppers.length < 2) return [];
  const hashed = await Promise.all(
    rows.map(async (row) => {
      const address = await openAddress(row, keys);
      if (address === null) return [];
      const hashes = await Promise.all(keys.peppers.map((pepper) => hashAddress(pepper, address)));
      return hashes.flatMap((hash) => (hash === row.email_hmac ? [] : { id: row.id, hash }));
    }),
  );
  return hashed.flat();
}

const isReady = (message: PreparedMessage): message is ReadyMessage => "canSwitch" in message;

function groupBySender(prepared: readonly PreparedMessage[]): Map<string, ReadyMessage[]> {
  const groups = new Map<string, ReadyMessage[]>();
  for (const message of prepared) {
    if (!isReady(message)) continue;
    const { scope, provider } = message.sender;
    const key = `${scope}:${provider}:${scope === "company" ? message.row.company_id : ""}`;
    groups.set(key, [...(groups.get(key) ?? []), message]);
  }
  return groups;
}

function settleUnsent(run: Run, message: UnsentMessage): Settlement {
  const now = run.services.clock.now();
  const { row } = message;
  if ("isUnread" in message) return settleRelease(row, now);
  if ("checkAt" in message) return { ...settleRelease(row, now), next_attempt_at: message.checkAt };
  if ("openUntil" in message) return settlePostponed(row, message.sender, message.openUntil, now);
  const context = {
    sender: null,
    canSwitch: false,
    isHeldByPause: false,
    now,
    retriesAtOnce: run.isSync,
    breaker: null,
  };
  return settleAttempt(row, message.outcome, context);
}

function settleSent(
  run: Run,
  { message, outcome, isDefault }: Attempted,
  claimed: Pick<AttemptContext, "breaker" | "scheduledAt">,
): Settlement {
  const now = run.services.clock.now();
  const { row, sender, canSwitch } = message;
  if (outcome.kind === "lost" || outcome.kind === "released") return settleRelease(row, now);
  const isHeldByPause = isPausable(run, sender);
  const context = { sender, canSwitch, isHeldByPause, now, retriesAtOnce: run.isSync, isDefault, ...claimed };
  return settleAttempt(row, outcome, context);
}

/**
 * Returns whether a pause for rejected credentials of this sender takes effect. The platform can have two senders. A pause of
 * the platform applies only while its fingerprint equals that of the first sender, so the second sender is not paused.
 */
function isPausable({ platformFingerprint }: Run, { scope, fingerprint }: Sender): boolean {
  return scope === "company" || fingerprint === platformFingerprint;
}

function pauseOf(run: Run, { message, outcome }: Attempted): CredentialPause[] {
  const { row, sender } = message;
  if (outcome.kind !== "retry" || outcome.pause !== true || !isPausable(run, sender)) return [];
  return [{ lane: row.lane, companyId: row.company_id, scope: sender.scope, fingerprint: sender.fingerprint }];
}

/** Stores the final state of expired messages. Returns no messages to retry. */
async function expire({ services, db }: Run, rows: readonly MessageRow[], now: number): Promise<Waiting[]> {
  await storeExpiries(services, db, rows, { now, fence: null });
  return [];
}

async function storeResults(
  { services, db, outcomes }: Run,
  messages: ReadonlyMap<string, MessageRow>,
  settlements: readonly Settlement[],
  pauses: readonly CredentialPause[],
): Promise<Waiting[]> {
  if (settlements.length === 0) return [];
  const now = services.clock.now();
  const breakers = await storeSettlements(services, db, messages, { settlements, pauses }, now);
  for (const { id, status, code } of settlements) {
    outcomes[status] = (outcomes[status] ?? 0) + 1;
    if (status === "failed") services.log.warn("delivery failed", { message_id: id, code });
  }
  for (const pause of pauses) services.log.warn("lane paused", { lane: pause.lane, company_id: pause.companyId });
  logBreakers(services, breakers);
  await removeAttachments(services, messages, settlements);
  if (breakers.hasStoredEvents)
    await applyStoredEvents(
      services,
      settlements.flatMap((result) => result.provider_message_id ?? []),
    );
  return settlements.flatMap(({ id, status, next_attempt_at }) =>
    status === "retrying"
      ? [
          {
            id,
            company_id: messages.get(id)?.company_id ?? null,
            waitSeconds: Math.ceil(Math.max(0, (next_attempt_at ?? now) - now) / SECOND_MS),
          },
        ]
      : [],
  );
}

/** Removes the attachments of the messages that have a final status. */
async function removeAttachments(
  services: EmailServices,
  messages: ReadonlyMap<string, MessageRow>,
  settlements: readonly Settlement[],
): Promise<void> {
  const ended = settlements.flatMap(({ id, status }) => (status === "retrying" ? [] : (messages.get(id) ?? [])));
  const companies = new Map<number, string[]>();
  for (const { company_id: companyId, attachments_id: id } of ended) {
    if (id !== null) companies.set(companyId, [...(companies.get(companyId) ?? []), id]);
  }
  for (const [companyId, ids] of companies) await removeUnusedAttachments(services, companyId, ids);
}

function logBreakers({ log }: EmailServices, { opened, closed }: BreakerChanges): void {
  for (const { scope, company_id, lane, failures, opened_ms } of opened) {
    const counted = Math.ceil(failures / FAILURE_WEIGHT);
    log.warn("sender breaker opened", { scope, company_id, lane, failures: counted, seconds: opened_ms / SECOND_MS });
  }
  for (const { scope, company_id, lane } of closed) log.warn("sender breaker closed", { scope, company_id, lane });
}

async function enqueueAgain(services: EmailServices, lane: Lane, waiting: readonly Waiting[]): Promise<void> {
  const byWait = new Map<number, Waiting[]>();
  for (const row of waiting) byWait.set(row.waitSeconds, [...(byWait.get(row.waitSeconds) ?? []), row]);
  for (const [delaySeconds, rows] of byWait) await enqueueMessageIds(services, lane, rows, { delaySeconds });
}

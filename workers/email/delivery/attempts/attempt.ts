import { directIdOf } from "../../../../db/email/conditions/direct";
import type { EventTypeRow, MessageRow } from "../../../../db/email/rows";
import { findEvent } from "../../../../schemas/email/content/catalog";
import type { Db } from "../../../kit/db/db";
import { errorName } from "../../../kit/log";
import { resolveCached } from "../../../kit/net/dns-cache";
import { pinnedMail } from "../../content/documents/content";
import { eventOfRow } from "../../content/event-types/own-event";
import type { MailContent } from "../../content/tokens/substitution";
import type { EmailKeys } from "../../keys";
import type { EmailServices } from "../../services";
import { openAttachments } from "../attachments/attachments";
import { createGate } from "../bulk/pace";
import { createStart, type Start } from "../bulk/start";
import { couldSendTwice } from "../bulk/unknown-outcome";
import { isDirect } from "../messages/direct-content";
import { composeDirectMail } from "../messages/direct-mail";
import { composeMail } from "../messages/mail";
import { acceptedScope, countOutcomes, isPlatformMail, lastUnknown, RATE_LIMITED, readTrace } from "../messages/trace";
import type { OutgoingMail, ProviderOutcome, Transport } from "../providers/types";
import type { Sender } from "../sender/sender";
import { senderOfAttempt } from "./attempt-sender";
import type { Breakers } from "./breaker";
import { type Claim, findCurrentContent } from "./claim.store";
import type { AttemptOutcome, LocalCode } from "./policy";

/** A message and its sender. The mail is composed right before the attempt. */
export type ReadyMessage = { row: MessageRow; sender: Sender; canSwitch: boolean };

/** A message whose outcome is known without calling a provider. */
type LocalResult = { row: MessageRow; outcome: AttemptOutcome };

/**
 * A claimed message that is not attempted. The variants are: a message with a local outcome, a message whose sender has an open
 * breaker (until `openUntil`, unix ms), a message whose custom template the claim did not read, and a message that must be
 * checked again (at `checkAt`, unix ms) because it is unknown whether its recipient is still a member.
 */
export type UnsentMessage =
  | LocalResult
  | { row: MessageRow; sender: Sender; openUntil: number }
  | { row: MessageRow; isUnread: true }
  | { row: MessageRow; checkAt: number };

/** A claimed message before its attempt. */
export type PreparedMessage = ReadyMessage | UnsentMessage;

/** The result of an attempt. `released`: the attempt did not begin; `lost`: too little of the lease was left to send it. */
export type Attempted = {
  message: ReadyMessage;
  outcome: ProviderOutcome | { kind: "released" };
  isDefault: boolean;
};

/** A mail. `isDefault`: the mail uses the default content instead of the custom template. */
type Composed = { mail: OutgoingMail; isDefault: boolean };

/**
 * Values shared by the messages of one claim. Every attempt ends by `cutoff` (unix ms). `inSlot` limits the number of attempts
 * that run in parallel. `compose` calls composeMessage with the data of the claim. `intervalMs` is the minimum time between the
 * starts of two attempts of bulk mail; it is null in other lanes.
 */
export type ClaimContext = {
  cutoff: number;
  leaseMs: number;
  inSlot: <T>(work: () => Promise<T>) => Promise<T>;
  breakers: Breakers;
  compose: (message: ReadyMessage) => Promise<Composed | LocalResult>;
  intervalMs: number | null;
};

/** The start of attempts. `turn` waits for the pace of bulk mail. */
type PacedStart = Start & { turn: () => Promise<void> };

const NO_CHECKS: PacedStart = {
  mayStart: async () => true,
  turn: async () => undefined,
  storeEvery: Number.POSITIVE_INFINITY,
};

/** Stores results of attempts. */
type StoreResults = (results: readonly (Attempted | LocalResult)[]) => Promise<void>;

/** The outcome of an unexpected error, such as a bug in this service. The message fails after a few retries. */
const FAULT = { kind: "retry", code: "provider_error" } as const;

/** Returns the sender of a claimed message, or why the message is not sent now. Logs unexpected errors and does not throw. */
export async function prepareMessage(
  services: EmailServices,
  keys: EmailKeys,
  claim: Claim,
  row: MessageRow,
  breakers: Breakers,
): Promise<PreparedMessage> {
  const block = claim.blocked.get(row.id);
  if (block !== undefined) return { row, outcome: { kind: "suppressed", code: block } };
  const isUnreadVersion = row.default_checksum === null && claim.unreadVersions.has(row.version_id ?? 0);
  if (isUnreadVersion || claim.directs.get(directIdOf(row.id)) === null) return { row, isUnread: true };
  try {
    const trace = readTrace(row.trace);
    const choice = await senderOfAttempt(
      {
        lane: row.lane,
        companyId: row.company_id,
        scope: acceptedScope(trace, row.scope),
        hasPlatform: findEvent(row.event_type)?.platform_sender ?? row.lane === "auth",
        // `attempt_count` omits rate-limited attempts, because they do not count towards the maximum of the lane. They do count
        // towards the switch to the other sender.
        attempt: row.attempt_count + countOutcomes(trace, RATE_LIMITED),
        usesOtherSender: trace.delivery.some((entry) => entry.move === true),
        repeatedAttempt: lastUnknown(trace),
        providerRow: claim.providers.get(row.company_id) ?? null,
        isOpen: (sender) => breakers.isOpen(sender, row.company_id),
      },
      services.settings,
      keys,
    );
    if (!choice.ok) return { row, outcome: { kind: "final", code: choice.code } };
    const { sender, canSwitch } = choice;
    const providerRow = claim.providers.get(row.company_id) ?? null;
    const isRepeatable =
      row.lane !== "bulk" || !couldSendTwice(trace.delivery, sender, { providerRow, now: services.clock.now() });
    if (!isRepeatable) return { row, outcome: { kind: "final", code: "delivery_unknown" } };
    const openUntil = breakers.waitsUntil(sender, row.company_id);
    if (openUntil !== null) return { row, sender, openUntil };
    return { row, sender, canSwitch };
  } catch (error) {
    logFault(services, row, error);
    return { row, outcome: FAULT };
  }
}

/**
 * Composes the mail of a message, or returns the outcome when that fails. If the values make a company's custom template for
 * sign-in mail too large, the mail uses the default content, so that users can still sign in. Reading the default content takes
 * one more round trip.
 */
export async function composeMessage(
  services: EmailServices,
  keys: EmailKeys,
  db: Db,
  claim: Claim,
  { row, sender }: ReadyMessage,
): Promise<Composed | LocalResult> {
  try {
    // A mail for which the request chose the platform sender has no company branding.
    const branding = isPlatformMail(readTrace(row.trace)) ? null : (claim.brandings.get(row.company_id) ?? null);
    const isTypeOfRow = (type: EventTypeRow) =>
      type.company_id === row.company_id && type.event_type === row.event_type;
    const event = eventOfRow(row.event_type, claim.ownTypes.find(isTypeOfRow) ?? null);
    const direct = claim.directs.get(directIdOf(row.id)) ?? null;
    const compose = (content: MailContent | null) =>
      isDirect(row) || direct !== null
        ? composeDirectMail(row, { content, branding, direct, event }, sender, services.settings, keys)
        : composeMail(row, { content, branding, event }, sender, services.settings, keys);
    let composed = await compose(pinnedMail(row, event, claim));
    const isDefault = !composed.ok && composed.code === "too_large" && row.lane === "auth" && row.version_id !== null;
    if (isDefault) {
      services.log.warn("copy too large", { message_id: row.id, company_id: row.company_id });
      const { event_type: eventType, language } = row;
      composed = await compose(await db.first(findCurrentContent({ eventType, language })));
    }
    if (!composed.ok) return { row, outcome: outcomeWithout(composed.code) };
    const broadcast = claim.broadcasts.get(row.broadcast_id ?? 0);
    const mail = broadcast === undefined ? composed.mail : { ...composed.mail, broadcastRef: broadcast.ref };
    if (row.attachments_id === null) return { mail, isDefault };
    const stored = claim.attachments.get(row.attachments_id);
    const attachments = stored === undefined ? null : await openAttachments(services, keys, stored);
    if (attachments === null) return { row, outcome: outcomeWithout("attachments_missing") };
    return { mail: { ...mail, attachments }, isDefault };
  } catch (error) {
    logFault(services, row, error);
    return { row, outcome: FAULT };
  }
}

/** Returns the outcome of a message whose mail cannot be composed. */
function outcomeWithout(code: LocalCode | "too_large"): AttemptOutcome {
  if (code !== "too_large") return { kind: "final", code };
  return { kind: "final", code: "provider_error", detail: "the mail is too large" };
}

/**
 * Composes and sends messages of one sender until the cutoff, in parallel as far as the transport and `inSlot` allow.
 * Releases messages that cannot finish in time and messages that a breaker holds back. After the provider rejects the
 * credentials of a company, its remaining messages are released too, because the lane is paused. When results cannot be stored,
 * begins no further attempt, and throws after the running ones.
 */
export async function sendGroup(
  services: EmailServices,
  group: readonly ReadyMessage[],
  context: ClaimContext,
  storeResults: StoreResults,
): Promise<void> {
  const config = group[0]?.sender.transport;
  if (config === undefined) return;
  const { settings, fetch, clock } = services;
  const resolve = (name: string) => resolveCached(name, settings.dnsResolverUrl, fetch, clock);
  const transport = config.open({ fetch, resolve });
  const refused = new Set<number>();
  const attempted: (Attempted | LocalResult)[] = [];
  const remaining = group.values();
  const start = createStartOf(services, group, context);
  const failures: unknown[] = [];
  const store = () => storeResults(attempted.splice(0)).catch((error: unknown) => void failures.push(error));
  const work = async () => {
    for (const message of remaining) {
      if (failures.length > 0) return;
      attempted.push(
        await context.inSlot(() => attemptMessage(services, message, { transport, start, refused }, context)),
      );
      if (attempted.length >= start.storeEvery) await store();
    }
  };
  try {
    await Promise.all(Array.from({ length: config.parallel(group.length) }, work));
  } finally {
    await transport.close();
  }
  if (attempted.length > 0) await store();
  if (failures.length > 0) throw failures[0];
}

/** Returns the checks before the attempts of one sender. */
function createStartOf(
  { clock, dbOf }: EmailServices,
  group: readonly ReadyMessage[],
  { intervalMs }: ClaimContext,
): PacedStart {
  const [first] = group;
  if (first === undefined || intervalMs === null) return NO_CHECKS;
  const rows = group.map(({ row }) => row);
  const { provider } = first.sender;
  const input = { db: dbOf(first.row.company_id), rows, provider, intervalMs, now: () => clock.now() };
  return { ...createStart(input), turn: createGate(intervalMs) };
}

/** The state that the attempts of one sender share. `refused` has the companies whose credentials the provider rejected. */
type Sending = { transport: Transport; start: PacedStart; refused: Set<number> };

async function attemptMessage(
  services: EmailServices,
  message: ReadyMessage,
  { transport, start, refused }: Sending,
  { cutoff, leaseMs, breakers, compose }: ClaimContext,
): Promise<Attempted | LocalResult> {
  const { row, sender } = message;
  const { id, company_id } = row;
  // An attempt may always begin while at least half of the lease is left. Otherwise a timeout longer than the lease would block
  // every attempt.
  const neededMs = Math.min(sender.transport.timeoutMs, leaseMs / 2);
  const isTooLate = () => cutoff - services.clock.now() < neededMs;
  const released: Attempted = { message, outcome: { kind: "released" }, isDefault: false };
  if (isTooLate() || refused.has(company_id)) return released;
  try {
    if (!(await start.mayStart(id))) return released;
  } catch (error) {
    logFault(services, row, error);
    return { row, outcome: FAULT };
  }
  await start.turn();
  if (isTooLate() || refused.has(company_id)) return released;
  const composed = await compose(message);
  if ("outcome" in composed) return composed;
  const { mail, isDefault } = composed;
  if (isTooLate() || refused.has(company_id) || !breakers.admit(message)) return released;
  const beforeData = async () => services.clock.now() < cutoff;
  try {
    const outcome = await transport.send(mail, { beforeData, deadline: cutoff });
    breakers.record(message, outcome);
    if (outcome.kind === "retry" && outcome.pause === true) refused.add(company_id);
    return { message, outcome, isDefault };
  } catch (error) {
    logFault(services, row, error);
    return { message, outcome: FAULT, isDefault };
  }
}

/** Returns a function that runs at most `size` tasks at a time and starts them in the order of the calls. */
export function createSlots(size: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = size;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

function logFault(services: EmailServices, row: MessageRow, error: unknown): void {
  services.log.error("attempt failed", { message_id: row.id, company_id: row.company_id, error: errorName(error) });
}

import type { BroadcastRow } from "../../../../db/email/rows";
import { plainName } from "../../../../schemas/text/name";
import { seal } from "../../../kit/crypto/seal";
import type { Db } from "../../../kit/db/db";
import { messageId } from "../../../kit/ids";
import { SECOND_MS } from "../../../kit/time";
import type { Variables } from "../../content/tokens/values";
import { deliverNow } from "../../delivery/attempts/delivery";
import { BULK_SIZE } from "../../delivery/bulk/pace";
import { storedTrace } from "../../delivery/messages/stored-trace";
import { enqueueMessageIds } from "../../delivery/queue/lane-message";
import { fingerprintPlatform, type Scope } from "../../delivery/sender/sender";
import type { EmailKeys } from "../../keys";
import { hashAddress } from "../../records/seal/address";
import { messageAad } from "../../records/seal/seal";
import type { EmailServices } from "../../services";
import { type MessageCounts, messageCountsOf, selectMessageCounts } from "../broadcast-counts/counts";
import {
  findBlockedHashes,
  type NewBroadcastMessage,
  selectMakingFacts,
  storeMade,
  type WaitingRecipient,
} from "./making.store";
import { type Contact, openContact, openSubscriber } from "./seal";
import type { Lease } from "./step.store";

/** Maximum number of recipients for which a part creates messages: two full claims. */
const MAX_RECIPIENTS = 2 * BULK_SIZE;
/** Messages are created at most this long before their turn, so that a pause and a cancellation act on most recipients. */
const AHEAD_SECONDS = 60;
/** Maximum number of waiting messages without a rate. */
const MAX_UNPACED = 16 * BULK_SIZE;
/** The minimum wait until some of the messages are sent. */
const MIN_WAIT_MS = 5 * SECOND_MS;

/**
 * The end of a part. `more`: further recipients may follow at once. `later`: the queue is full until `waitMs` has passed.
 * `idle`: the lane is paused, or the last messages wait to be sent. `done`: every message has ended.
 */
export type MakingResult =
  | { kind: "more" | "idle" | "lost" }
  | { kind: "done"; counts: MessageCounts }
  | { kind: "later"; waitMs: number };

/** Creates the messages of the next recipients, unless enough messages of the broadcast wait already. */
export async function makeMessages(services: EmailServices, row: BroadcastRow, lease: Lease): Promise<MakingResult> {
  const { settings, clock } = services;
  const keys = await services.keys();
  const db = services.dbOf(row.company_id);
  const rate = settings.deliverSync ? 0 : settings.bulkRates.company;
  const maxWaiting = rate === 0 ? MAX_UNPACED : rate * AHEAD_SECONDS;
  const platform = await fingerprintPlatform(settings, keys);
  const limit = Math.min(MAX_RECIPIENTS, maxWaiting);
  const facts = await readMakingFacts(db, row, { platform, now: clock.now(), limit });
  const { queued } = facts.counts;
  if (row.pending === 0) return queued === 0 ? { kind: "done", counts: facts.counts } : { kind: "idle" };
  if (facts.isPaused) return { kind: "idle" };
  const room = maxWaiting - queued;
  // Small parts and small claims take as many statements as large ones.
  const least = Math.min(row.pending, Math.ceil(limit / 2));
  if (room < least)
    return { kind: "later", waitMs: rate === 0 ? MIN_WAIT_MS : Math.max(MIN_WAIT_MS, waitFor(least - room, rate)) };
  const recipients = facts.recipients.slice(0, room);
  const last = recipients.at(-1);
  // An erasure may have removed the last recipients after the row was read; the next step reads it again.
  if (last === undefined) return { kind: "idle" };
  const { made, skipped } = await sortRecipients(services, row, recipients);
  const category = categoryOf(row);
  const messages = await Promise.all(made.map((item) => toMessage(item, companyNameOf(facts, services), row, keys)));
  const shared = { category, trace: traceOf(row, facts, services), request_id: row.request_id };
  const isStored = await storeMade(db, lease, { messages, shared, skipped, next: last.email_hmac }, clock.now());
  if (!isStored) return { kind: "lost" };
  const rows = messages.map(({ id }) => ({ id, company_id: row.company_id }));
  if (settings.deliverSync) await deliverNow(services, rows, "bulk", { sync: true });
  else if (rows.length > 0) await enqueueMessageIds(services, "bulk", rows);
  return rate === 0 || rows.length === 0 ? { kind: "more" } : { kind: "later", waitMs: waitFor(rows.length, rate) };
}

/** What a step reads before it creates messages. */
type MakingFacts = {
  isPaused: boolean;
  /** the stored name of the company, and the From name of its provider */
  name: string | null;
  fromName: string | null;
  provider: string | null;
  sourceKey: string;
  counts: MessageCounts;
  recipients: WaitingRecipient[];
};

/** Reads the next waiting recipients of a broadcast, and what their messages need, in one round trip. */
async function readMakingFacts(
  db: Db,
  row: BroadcastRow,
  input: { platform: string; now: number; limit: number },
): Promise<MakingFacts> {
  const { facts, page, counts } = await db.batch({
    ...selectMakingFacts(row, input),
    counts: selectMessageCounts(row.company_id, [row], input.now),
  });
  return {
    isPaused: facts.first?.paused ?? false,
    name: facts.first?.name ?? null,
    fromName: facts.first?.from_name ?? null,
    provider: facts.first?.provider ?? null,
    sourceKey: facts.first?.source_key ?? "",
    counts: messageCountsOf(row.id, counts.rows),
    recipients: page.rows,
  };
}

const waitFor = (messages: number, rate: number) => Math.ceil(messages / rate) * SECOND_MS;

/** Returns the category from which recipients of the broadcast can unsubscribe. */
const categoryOf = ({ list_id }: BroadcastRow) => (list_id === null ? "bulk" : `list-${list_id}`);

type Made = { recipient: WaitingRecipient; contact: Contact };
type Sorted = { made: Made[]; skipped: { skipped_unsubscribed: string[]; skipped_suppressed: string[] } };

/**
 * Separates the recipients that get a message. An unsubscribe wins over a suppression. A contact that cannot be decrypted
 * cannot be sent to, like a suppressed one.
 */
async function sortRecipients(
  services: EmailServices,
  row: BroadcastRow,
  recipients: readonly WaitingRecipient[],
): Promise<Sorted> {
  const keys = await services.keys();
  const opened = await Promise.all(
    recipients.map(async (recipient) => {
      const isSubscriber = recipient.subscriber_id !== null;
      const isUnsubscribed = recipient.is_unsubscribed || (isSubscriber && recipient.subscription !== "confirmed");
      const isBlocked = isUnsubscribed || recipient.is_suppressed;
      return { recipient, isUnsubscribed, contact: isBlocked ? null : await contactOf(row, recipient, keys) };
    }),
  );
  const blocked = await findBlockedElsewhere(services, row, opened);
  const sorted: Sorted = { made: [], skipped: { skipped_unsubscribed: [], skipped_suppressed: [] } };
  for (const { recipient, isUnsubscribed, contact } of opened) {
    const block = contact === null ? undefined : blocked.get(contact.email);
    if (isUnsubscribed || block === "unsubscribed") sorted.skipped.skipped_unsubscribed.push(recipient.email_hmac);
    else if (contact === null || block === "suppressed") sorted.skipped.skipped_suppressed.push(recipient.email_hmac);
    else sorted.made.push({ recipient, contact });
  }
  return sorted;
}

async function contactOf(
  { id, company_id }: BroadcastRow,
  recipient: WaitingRecipient,
  keys: EmailKeys,
): Promise<Contact | null> {
  const { contact_enc, email_enc, first_name_enc, seal_id, email_hmac } = recipient;
  if (contact_enc !== null) return openContact(contact_enc, { broadcastId: id, emailHmac: email_hmac }, keys);
  if (email_enc === null || seal_id === null) return null;
  return openSubscriber({ company_id, email_enc, first_name_enc, seal_id }, keys);
}

/**
 * Returns the addresses that are blocked under another hash than that of the recipient. During a rotation of the pepper, the
 * recipient and the rows that block the address may have the hash of either pepper.
 */
async function findBlockedElsewhere(
  services: EmailServices,
  row: BroadcastRow,
  opened: readonly { recipient: WaitingRecipient; contact: Contact | null }[],
): Promise<ReadonlyMap<string, "unsubscribed" | "suppressed">> {
  const { peppers } = await services.keys();
  if (peppers.length < 2) return new Map();
  const hashed = opened.flatMap(({ recipient, contact }) =>
    peppers.map(async (pepper) => {
      const hash = contact === null ? recipient.email_hmac : await hashAddress(pepper, contact.email);
      return hash === recipient.email_hmac ? [] : [[hash, contact?.email ?? ""] as const];
    }),
  );
  const emailOf = new Map((await Promise.all(hashed)).flat());
  const input = { companyId: row.company_id, category: categoryOf(row), now: services.clock.now() };
  const hits = await services.dbOf(row.company_id).all(findBlockedHashes({ ...input, hashes: [...emailOf.keys()] }));
  const blocked = new Map<string, "unsubscribed" | "suppressed">();
  for (const { email_hmac, isUnsubscribed } of hits) {
    const email = emailOf.get(email_hmac) ?? "";
    if (isUnsubscribed) blocked.set(email, "unsubscribed");
    else if (!blocked.has(email)) blocked.set(email, "suppressed");
  }
  return blocked;
}

/** Returns the message of a recipient, with encrypted address and variables. */
async function toMessage(
  { recipient, contact }: Made,
  companyName: string,
  { company_id }: BroadcastRow,
  keys: Pick<EmailKeys, "variables">,
): Promise<NewBroadcastMessage> {
  const id = messageId().slice("msg_".length);
  const { email, first_name, last_name } = contact;
  const variables: Variables = { first_name, last_name, recipient_email: email, company_name: companyName };
  const sealed = (column: "to_enc" | "variables_enc", value: string) =>
    seal(value, keys.variables, messageAad(column, company_id, id));
  const [to_enc, variables_enc] = await Promise.all([
    sealed("to_enc", email),
    sealed("variables_enc", JSON.stringify(variables)),
  ]);
  return {
    id,
    to_enc,
    to_masked: recipient.email_masked,
    to_user_id: recipient.user_id,
    email_hmac: recipient.email_hmac,
    variables_enc,
  };
}

/** Returns the name of the company, as other mail of the company has it; see resolveCompanyName. */
function companyNameOf({ name, fromName }: MakingFacts, { settings }: EmailServices): string {
  const stored = plainName(name ?? "");
  if (stored !== "") return stored;
  const from = plainName(fromName ?? "");
  return from.toLowerCase() === settings.defaultFrom.name.toLowerCase() ? "" : from;
}

function traceOf(row: BroadcastRow, facts: MakingFacts, { settings }: EmailServices) {
  const isCompany = row.scope === "company";
  const isPlatformCompany = settings.platformCompanyIds.has(row.company_id);
  const trace = {
    rule_id: null,
    content: {
      source: "copy" as const,
      template_id: row.template_id,
      version: row.template_version,
      design: facts.sourceKey,
      reason: null,
    },
    language: { value: row.language, source: "copy" as const },
    company_name: { source: facts.name === null ? "provider" : "stored" },
    sender: {
      scope: row.scope as Scope,
      provider: isCompany ? facts.provider : settings.platformTransport,
      reason: isCompany ? "company_provider" : isPlatformCompany ? "platform_company" : "fallback",
    },
    suppression: { hit: false, reason: null, lanes: [] },
    limits: [],
    delivery: [],
  };
  return storedTrace(trace, { isFinal: false });
}

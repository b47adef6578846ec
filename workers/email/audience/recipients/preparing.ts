import type { BroadcastRow } from "../../../../db/email/rows";
import type { AudienceMember } from "../../../../schemas/rpc";
import { maskAddress } from "../../../../schemas/text/address";
import { SECOND_MS } from "../../../kit/time";
import { chooseSender, findPause, isPlatformAddress, type SenderRefusal } from "../../delivery/sender/sender";
import type { EmailKeys } from "../../keys";
import { hashAddress, readAddress } from "../../records/seal/address";
import type { EmailServices } from "../../services";
import {
  type AudienceFailure,
  type AudiencePermission,
  checkGrant,
  needsIdentity,
  readAudiencePage,
} from "./identity-audience";
import {
  findPageEnd,
  type NewRecipient,
  type Page,
  queueScheduled,
  readStartFacts,
  startPreparing,
  startSending,
  storeFailedPage,
  storePage,
} from "./preparing.store";
import { openAudience, openBearer, sealContact } from "./seal";
import type { Lease } from "./step.store";

/** The audience is read until one of these codes ends the broadcast. */
export type FailureCode =
  | "caller_session_expired"
  | "permission_ended"
  | "audience_invalid"
  | "audience_too_large"
  | "identity_unavailable"
  | "identity_not_configured"
  | "template_missing"
  | SenderRefusal;

/**
 * The end of a part of a step. `continue`: the next part may run at once. `wait`: the lane is paused. `retryMs`: the lease was
 * given back for this time. `lost`: the broadcast was paused, cancelled or continued by someone else.
 */
export type PartResult = "continue" | "wait" | "lost" | { retryMs: number } | { failed: FailureCode };

/** A page that identity did not return is read again, five times in all. */
const MAX_FAILED_PAGES = 5;
const FIRST_RETRY_MS = 5 * SECOND_MS;

/** The position after the last page. */
const COMPLETE = "complete";
/** The prefixes of the position in picked users and in picked addresses, and of the last subscriber. */
const USERS = "u:";
const EMAILS = "e:";

/** Moves a scheduled broadcast to `queued`. */
export async function start(services: EmailServices, row: BroadcastRow, lease: Lease): Promise<PartResult> {
  const isQueued = await queueScheduled(services.dbOf(row.company_id), lease, services.clock.now());
  return isQueued ? "continue" : "lost";
}

/** Checks lane, sender and version again, and begins to read the audience. */
export async function begin(services: EmailServices, row: BroadcastRow, lease: Lease): Promise<PartResult> {
  const { settings, clock } = services;
  if (hasTokenEnded(row, clock.now())) return { failed: "caller_session_expired" };
  const keys = await services.keys();
  const db = services.dbOf(row.company_id);
  const facts = await readStartFacts(db, row);
  if (!facts.hasVersion) return { failed: "template_missing" };
  const input = { lane: "bulk", companyId: row.company_id, usePlatformSender: false, hasPlatform: false } as const;
  const choice = await chooseSender({ ...input, providerRow: facts.provider }, settings, keys);
  if (!choice.ok) return { failed: choice.code };
  const { scope, from } = choice.sender;
  const isPlatformCompany = settings.platformCompanyIds.has(row.company_id);
  if (scope === "company" && isPlatformAddress(from.address, settings) && !isPlatformCompany)
    return { failed: "platform_sender_not_allowed" };
  if (findPause(facts.pauses, choice.sender) !== null) return "wait";
  return (await startPreparing(db, lease, { sender: choice.sender, now: clock.now() })) ? "continue" : "lost";
}

/** Reads and stores the next page of the audience, or begins to send when all pages are stored. */
export async function prepare(services: EmailServices, row: BroadcastRow, lease: Lease): Promise<PartResult> {
  const { settings, clock } = services;
  const db = services.dbOf(row.company_id);
  if (hasTokenEnded(row, clock.now())) return { failed: "caller_session_expired" };
  if (row.pending > settings.broadcastMaxRecipients) return { failed: "audience_too_large" };
  if (row.cursor === COMPLETE) {
    return (await startSending(db, lease, clock.now())) ? "continue" : "lost";
  }
  const read = await readPage(services, row);
  if ("failed" in read) return read;
  if ("unavailable" in read) {
    if (row.failed_pages + 1 >= MAX_FAILED_PAGES) return { failed: "identity_unavailable" };
    const retryMs = FIRST_RETRY_MS * 2 ** row.failed_pages;
    await storeFailedPage(db, lease, clock.now() + retryMs);
    return { retryMs };
  }
  const isStored = await storePage(db, lease, { page: read.page, next: read.next });
  return isStored === null ? "lost" : "continue";
}

const hasTokenEnded = ({ bearer_expires_at: endsAt }: BroadcastRow, now: number): boolean =>
  endsAt !== null && endsAt <= now;

type ReadPage = { page: Page; next: string } | { unavailable: true } | { failed: FailureCode };

async function readPage(services: EmailServices, row: BroadcastRow): Promise<ReadPage> {
  const { cursor, list_id: listId } = row;
  const audience = await openAudience(row, await services.keys());
  if (cursor === "" && row.send_at !== null && !needsIdentity(audience)) {
    const refusal = await checkGrant(services, { companyId: row.company_id, grantedBy: row.granted_by });
    if (refusal !== null) return resultOf(refusal);
  }
  if (audience.mode === "newsletter") {
    const after = Number(cursor);
    const end = await findPageEnd(services.dbOf(row.company_id), listId ?? 0, after);
    const page = { after, until: end ?? Number.MAX_SAFE_INTEGER };
    return { page, next: end === null ? COMPLETE : String(end) };
  }
  if (audience.mode === "filter") return readUsers(services, row, { cursor, prefix: "", done: COMPLETE });
  const isAtUsers = audience.user_ids.length > 0 && !cursor.startsWith(EMAILS);
  if (isAtUsers) {
    const after = cursor.slice(USERS.length);
    return readUsers(services, row, {
      cursor: after,
      prefix: USERS,
      done: audience.emails.length > 0 ? EMAILS : COMPLETE,
    });
  }
  const users = audience.emails.map((email) => ({ id: null, email, first_name: "", last_name: "", language: null }));
  return { page: { recipients: await toRecipients(services, row, users) }, next: COMPLETE };
}

async function readUsers(
  services: EmailServices,
  row: BroadcastRow,
  { cursor, prefix, done }: { cursor: string; prefix: string; done: string },
): Promise<ReadPage> {
  const permission = await permissionOf(services, row);
  if (permission === null) return { failed: "caller_session_expired" };
  const audience = { companyId: row.company_id, audience: row.audience };
  const page = await readAudiencePage(services, audience, permission, { cursor });
  if (page.ok) {
    const recipients = await toRecipients(services, row, page.users);
    return { page: { recipients }, next: page.nextCursor === null ? done : prefix + page.nextCursor };
  }
  return resultOf(page);
}

const resultOf = ({ reason }: AudienceFailure): ReadPage =>
  reason === "unavailable" ? { unavailable: true } : { failed: FAILURES[reason] };

const FAILURES = {
  token_ended: "caller_session_expired",
  not_permitted: "permission_ended",
  invalid: "audience_invalid",
  not_configured: "identity_not_configured",
} as const;

/** Returns the token of the caller, or the grant of a scheduled broadcast. Null: the token is gone or unreadable. */
async function permissionOf(services: EmailServices, row: BroadcastRow): Promise<AudiencePermission | null> {
  if (row.send_at !== null && row.bearer_enc === null) {
    return row.granted_by === null ? null : { grantedBy: row.granted_by };
  }
  const bearer = await openBearer(row, await services.keys());
  return bearer === null ? null : { bearer };
}

type Person = Omit<AudienceMember, "id"> & { id: number | null };

/** Returns the recipients with sealed contacts. Leaves out addresses to which no mail can be sent. */
async function toRecipients(
  services: EmailServices,
  { id: broadcastId }: BroadcastRow,
  people: readonly Person[],
): Promise<NewRecipient[]> {
  const keys = await services.keys();
  const { pepper } = services.settings.rawKeys;
  const recipients = people.map((person) => toRecipient(person, broadcastId, { keys, pepper }));
  return (await Promise.all(recipients)).flatMap((recipient) => recipient ?? []);
}

async function toRecipient(
  { id, email: text, first_name, last_name, language }: Person,
  broadcastId: number,
  { keys, pepper }: { keys: EmailKeys; pepper: Uint8Array },
): Promise<NewRecipient | null> {
  const email = readAddress(text);
  if (email === null) return null;
  const emailHmac = await hashAddress(pepper, email);
  return {
    email_hmac: emailHmac,
    user_id: id,
    contact_enc: await sealContact({ email, first_name, last_name }, { broadcastId, emailHmac }, keys),
    email_masked: maskAddress(email),
    language: language ?? "",
  };
}

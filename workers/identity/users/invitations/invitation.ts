import type { CompanyRow } from "../../../../db/identity/schema";
import type { Invitee } from "../../../../schemas/identity/people/invitations";
import { sha256Hex } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { toCounters } from "../../../kit/limits/limiter";
import { errorName } from "../../../kit/log";
import { invalid } from "../../../kit/problem";
import { DAY_MS } from "../../../kit/time";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import { rateLimited } from "../../caller/client/limits";
import type { Caller } from "../../caller/credentials/caller";
import { selectListedOrigin } from "../../company/redirects/oauth-redirect";
import { isRedirectAllowed, parseRedirect } from "../../company/redirects/redirect-target";
import { attemptMail, queueMailOfChange, sealInvitationMail } from "../../mail/outbox/mail";
import { Problem } from "../../problem";
import { actorOf, changeEntry, changeEventEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { nameOrAddress, profileOf } from "../profiles/company-user";
import { inviterNameOf } from "./invitation.present";
import {
  deleteReplaced,
  deleteRevoked,
  findInvitation,
  findInvitations,
  findRejections,
  type InvitationRow,
  insertInvitations,
  insertInvitedEvents,
  type NewInvitation,
  renewInvitation,
  revokeInvitation,
} from "./invitation.store";
import { invitationMail, invitationUrl, revocationMail } from "./invitation-mail";

/** How long an invitation mail is retried. */
const MAIL_LIFE_MS = DAY_MS;
/** A call to a queue accepts at most 100 messages. */
const MESSAGES_PER_CALL = 100;
/** Maximum number of attempts to revoke an invitation whose mail changes its state between the read and the write. */
const MAX_TRIES = 5;

/** The caller with their request, and the company whose invitations change. */
export type Target = { services: IdentityServices; request: Request; caller: Caller; company: CompanyRow };

/** The values that all invitations of a request share. */
type Sending = { appUrl: string; sendMail: boolean };

/** A stored invitation, with its URL when no mail was sent. */
export type SentInvitation = { row: InvitationRow; url: string | null };

/** The result for one invitee. */
export type Outcome = SentInvitation | { problem: Problem };

/**
 * Returns the page that invitations lead to: `appUrl`, or by default the login page of the oldest origin of the allowlist.
 * Throws 400 `app_url: [invalid]` for a URL that is not an allowed redirect target, and `[required]` without `appUrl` when the
 * allowlist has no active origin.
 */
export async function readAppUrl(
  { services, company }: Pick<Target, "services" | "company">,
  appUrl: string | undefined,
  oldestOrigin: string | null,
): Promise<string> {
  if (appUrl === undefined) {
    if (oldestOrigin === null) throw invalid({ app_url: ["required"] });
    return `${oldestOrigin}/login`;
  }
  const url = parseRedirect(appUrl);
  if (url === null) throw invalid({ app_url: ["invalid"] });
  const listed = await services.db.first(selectListedOrigin(company.id, url.origin));
  if (!isRedirectAllowed(url, listed !== null, services.settings.debug)) throw invalid({ app_url: ["invalid"] });
  // Encoding may have made the URL longer.
  if (parseRedirect(url.href) === null) throw invalid({ app_url: ["too_long"] });
  return url.href;
}

/** Throws 400 `invitations: [too_many]` for a batch that is larger than the limit of a company, which no later request could send. */
export function requireWithinLimit({ settings }: IdentityServices, count: number): void {
  if (toCounters("invitation", settings.rates.invitation).some(({ limit }) => count > limit))
    throw invalid({ invitations: ["too_many"] });
}

/** Counts invitations against the limit of the company. Throws 429 `rate_limited`. */
export async function limitInvitations(
  { services, company }: Pick<Target, "services" | "company">,
  count: number,
): Promise<void> {
  const counters = toCounters("invitation", services.settings.rates.invitation, count);
  const decision = await services.limiter.reserve(`company:${company.id}`, counters);
  if (!decision.ok) throw rateLimited(decision);
}

/** The user who invites people; null for the operator. `name` is shown in the mail, unless it is empty. */
export type Inviter = { userId: number | null; name: string; actor: string };

/** The company of invitations, and who creates them. */
export type Invitations = { services: IdentityServices; company: CompanyRow; inviter: Inviter };

/** Returns the inviter for the caller of a request. */
const inviterOf = (caller: Caller): Inviter => ({
  userId: caller.user.id,
  name: profileOf(caller.user).name,
  actor: actorOf(caller),
});

/**
 * Invites people in one batch with their events. Returns one outcome per invitee, in the order of `invitees`: the invitation,
 * or the problem of this invitee (400 `group_ids: [invalid]`, 409 `already_member` or `already_invited`). A single mail is sent
 * after the response; several mails are enqueued.
 */
export async function invite(target: Target, invitees: readonly Invitee[], sending: Sending): Promise<Outcome[]> {
  const { services, caller, company } = target;
  const inviting = { services, company, inviter: inviterOf(caller) };
  const { prepared, statements, events } = await invitationStatements(inviting, invitees, sending);
  const { rejections, stored } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      ...statements,
      rejections: findRejections({ companyId: company.id, items: prepared.map(({ item }) => item) }),
    },
    events,
  );
  const rowById = new Map(stored.rows.map((row) => [row.id, row]));
  if (sending.sendMail) await startMails(services, stored.rows);
  return prepared.map(({ item, url }, at): Outcome => {
    const row = rowById.get(item.id);
    if (row) return { row, url };
    const rejection = rejections.rows[at];
    if (rejection?.has_unknown_group) return { problem: invalid({ group_ids: ["invalid"] }) };
    return { problem: new Problem(rejection?.is_member ? "already_member" : "already_invited") };
  });
}

/**
 * Returns the statements that store invitations with their events, and the keys of the events. `stored` returns the new rows,
 * whose mails the caller starts with startMails.
 */
export async function invitationStatements(
  inviting: Invitations,
  invitees: readonly Invitee[],
  sending: Sending,
): Promise<{
  prepared: { item: NewInvitation; url: string | null }[];
  statements: { replaced: Bound; inserted: Bound; invited: Bound; stored: Bound<InvitationRow> };
  events: EventKey[];
}> {
  const { services, company, inviter } = inviting;
  const { clock, requestId, settings } = services;
  const companyId = company.id;
  const now = clock.now();
  const prepared = await Promise.all(invitees.map((invitee) => prepare(inviting, invitee, sending)));
  const items = prepared.map(({ item }) => item);
  const creation = { companyId, items, now };
  const { userId, name: inviterName, actor } = inviter;
  return {
    prepared,
    statements: {
      replaced: deleteReplaced(creation),
      inserted: insertInvitations({
        ...creation,
        appUrl: sending.appUrl,
        invitedBy: userId,
        expiresAt: now + settings.invitationMs,
        deadline: mailDeadline(services, now),
        requestId,
      }),
      invited: insertInvitedEvents({ ...creation, inviterId: userId, inviterName, actor }),
      stored: findInvitations({ companyId, ids: items.map(({ id }) => id) }),
    },
    events: items.map(({ event_id: id }) => ({ id, company_id: companyId })),
  };
}

/** Returns when the retries of an invitation mail end: after a day, or with the invitation. */
const mailDeadline = ({ settings }: IdentityServices, now: number) =>
  now + Math.min(MAIL_LIFE_MS, settings.invitationMs);

/** Returns the row of a new invitation, and its URL when no mail is sent. */
async function prepare(
  { services, company, inviter }: Invitations,
  { email, language, group_ids }: Invitee,
  { sendMail }: Sending,
): Promise<{ item: NewInvitation; url: string | null }> {
  const id = uuid();
  const { token, tokenHash, sealed } = await newToken(
    services,
    { company, id, email, language, inviterName: inviter.name },
    sendMail,
  );
  const item = {
    id,
    event_id: services.newEventId(),
    email,
    language,
    group_ids: [...new Set(group_ids)],
    token_hash: tokenHash,
    sealed,
  };
  return { item, url: sendMail ? null : invitationUrl(services, token) };
}

type Addressed = { company: CompanyRow; id: string; email: string; language: "en" | "fr"; inviterName: string };

/** Returns a new token with its hash, and the sealed mail (null without a mail). */
async function newToken(services: IdentityServices, { id, ...invited }: Addressed, sendMail: boolean) {
  const token = randomToken();
  const tokenHash = await sha256Hex(token);
  const key = `invitation-${id}-${tokenHash.slice(0, 16)}`;
  const sealed = sendMail
    ? await sealInvitationMail(services, id, invitationMail(services, { ...invited, key, token }))
    : null;
  return { token, tokenHash, sealed };
}

/**
 * Makes the first attempt of a single mail after the response, or enqueues several mails. When the queue is unavailable, the
 * job `retry_mail` sends them.
 */
export async function startMails(services: IdentityServices, rows: readonly InvitationRow[]): Promise<void> {
  const { queue, requestId, log } = services;
  const [only] = rows;
  if (only && rows.length === 1) {
    services.waitUntil(attemptMail(services, only.id));
    return;
  }
  const messages = rows.map(({ id, company_id }) => ({
    body: { v: 1 as const, kind: "mail" as const, company_id, id, request_id: requestId },
  }));
  try {
    for (let at = 0; at < messages.length; at += MESSAGES_PER_CALL)
      await queue.sendBatch(messages.slice(at, at + MESSAGES_PER_CALL));
  } catch (error) {
    log.warn("queue message not sent", { kind: "invitation", error: errorName(error) });
  }
}

/** Sends an open invitation again with a new link, which invalidates the old one. Throws 409 `invitation_not_pending`. */
export async function resendInvitation(target: Target, row: InvitationRow, sendMail: boolean): Promise<SentInvitation> {
  const { services, request, caller, company } = target;
  const { clock, requestId, settings, db } = services;
  const now = clock.now();
  const { id, email, language } = row;
  const addressed = { company, id, email, language, inviterName: inviterNameOf(row) };
  const { token, tokenHash, sealed } = await newToken(services, addressed, sendMail);
  const deadline = mailDeadline(services, now);
  const renewal = { tokenHash, sealed, now, expiresAt: now + settings.invitationMs, deadline, requestId };
  const data = { invitation_id: id, sends_mail: sendMail };
  const key = { companyId: company.id, id };
  const { after } = await db.batch({
    renewed: followedBy(
      renewInvitation({ ...key, ...renewal }),
      await changeEntry(services, request, { caller, companyId: company.id, type: "identity.invitation.resent", data }),
    ),
    after: findInvitation(key),
  });
  if (after.first?.token_hash !== tokenHash) throw new Problem("invitation_not_pending");
  if (sendMail) services.waitUntil(attemptMail(services, id));
  return { row: after.first, url: sendMail ? null : invitationUrl(services, token) };
}

/**
 * Revokes an open invitation, in one batch with its event. The invitee gets a mail if the mail of the invitation was sent.
 * Throws 404, 409 `invitation_not_pending`, and 409 `conflict` when the state of the mail changed during every attempt.
 */
export async function revoke(target: Target, present: InvitationRow): Promise<InvitationRow> {
  let row = present;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = target.services.clock.now();
    const after = await storeRevocation(target, row, now);
    if (after === null) throw new Problem("not_found");
    if (after.status === "revoked" && after.revoked_at === now) return after;
    if (after.status !== "pending" || after.expires_at <= now) throw new Problem("invitation_not_pending");
    row = after;
  }
  throw new Problem("conflict");
}

/**
 * Revokes the invitation if the state of its mail is still that of `row`. Returns the current invitation, or null if it was
 * deleted.
 */
async function storeRevocation(target: Target, row: InvitationRow, now: number): Promise<InvitationRow | null> {
  const { services, caller, company } = target;
  const companyId = company.id;
  const { id, email, language, mail_state: mailState, mail_lease: mailLease } = row;
  const events: EventKey[] = [];
  const inviterName = inviterNameOf(row);
  const type = "identity.user.invitation_revoked";
  const data = { invitation_id: id, email, language, ...(inviterName ? { inviter_name: inviterName } : {}) };
  const event = changeEventEntry(services, events, { caller, companyId, type, data });
  // A mail with a lease may be on its way.
  const wasSent = row.mailed_at !== null || mailState === "sent" || mailLease !== null;
  const mailId = uuid();
  const mail: Bound[] = wasSent
    ? [
        await queueMailOfChange(services, {
          id: mailId,
          mail: revocationMail({ company, id, email, language, actorName: nameOrAddress(caller.user), now }),
          now,
          lifeMs: DAY_MS,
        }),
      ]
    : [];
  const { revoked, after } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      revoked: followedBy(revokeInvitation({ companyId, id, now, mailState, mailLease }), ...mail, event),
      after: findInvitation({ companyId, id }),
    },
    events,
  );
  if (revoked.changes > 0 && wasSent) services.waitUntil(attemptMail(services, mailId));
  return after.first;
}

/** Lifts a revocation by deleting the invitation. Throws 409 `invitation_not_revoked`. */
export async function liftRevocation(
  { services, request, caller, company }: Target,
  { id }: InvitationRow,
): Promise<void> {
  const companyId = company.id;
  const data = { invitation_id: id };
  const entry = await changeEntry(services, request, { caller, companyId, type: "identity.invitation.lifted", data });
  const { remaining } = await services.db.batch({
    lifted: followedBy(deleteRevoked({ companyId, id }), entry),
    remaining: findInvitation({ companyId, id }),
  });
  if (remaining.first !== null) throw new Problem("invitation_not_revoked");
}

import type { MailRow } from "../../../../db/identity/schema";
import { open, seal } from "../../../kit/crypto/seal";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { type BackoffPolicy, backoffAfter } from "../../../kit/outbox/wait";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../kit/time";
import type { IdentityServices } from "../../services";
import { postToEmailService } from "./email-service";
import { reserveInvitationMail } from "./invitation-pace";
import { insertMailOfChange, invitationMails, linkMails, type MailStatements, outboxMails } from "./mail.store";
import { newDeviceMail } from "./new-device-mail";

/** The wait in ms after each of the attempts 1 to 4. The job `retry_mail` makes the later attempts. */
const WAITS_MS = [2, 6, 18, 54].map((seconds) => seconds * SECOND_MS);
const LEASE_MS = 30 * SECOND_MS;
/** How long a link mail is retried while the email service is unavailable. */
const LINK_MAIL_LIFE_MS = 5 * MINUTE_MS;
/** How long an erasure is retried. */
const ERASURE_LIFE_MS = 7 * DAY_MS;

/** How mails of one kind are sent to the email service. Responses with `finalStatuses` are not retried. */
type MailRoute = { path: string; finalStatuses: ReadonlySet<number>; sweepWaitMs: number };

const FINAL_STATUSES = [400, 401, 403, 405, 410, 413, 422];

const mails: MailRoute = {
  path: "/api/v1/send",
  finalStatuses: new Set(FINAL_STATUSES),
  sweepWaitMs: MINUTE_MS,
};

// A mail about access is sent only from the company's own sender. 409 without `Retry-After` means that the company has no
// sender.
const membershipMails: MailRoute = { ...mails, finalStatuses: new Set([...FINAL_STATUSES, 409]) };

// A user's erasure must not fail because a key is temporarily missing or wrong, so 401 and 403 are retried.
const erasures: MailRoute = {
  path: "/api/v1/privacy/erase",
  finalStatuses: new Set([400, 405, 410, 413, 422]),
  sweepWaitMs: 10 * MINUTE_MS,
};

/** The kinds of mails in the three tables. */
type MailKind = MailRow["kind"] | "invitation";

const mailRoutes: Record<MailKind, MailRoute> = {
  magic_link: mails,
  invitation: mails,
  membership: membershipMails,
  // Notices are retried for up to a day, so that the company has time to configure a sender.
  notice: { ...mails, sweepWaitMs: 10 * MINUTE_MS },
  new_device: mails,
  erasure: erasures,
};

/** A mail in the format of the email service. */
type Mail = {
  company_id: number;
  template_key: string;
  idempotency_key: string;
  to: { email: string; user_id?: number }[];
  variables: Record<string, string>;
  language?: string;
  ttl_seconds?: number;
  use_platform_sender?: boolean;
};

/** A mail for the outbox. It expires after `lifeMs`. */
export type NewMail = { id: string; mail: Mail; now: number; lifeMs: number };

/** Returns the statement that inserts a sealed mail into the outbox if the statement directly before it changed a row. */
export function queueMailOfChange(services: IdentityServices, { mail, ...row }: NewMail): Promise<Bound> {
  return queue(services, { ...row, kind: "membership", key: mail.idempotency_key, body: mail });
}

/**
 * Returns the statement that queues the erasure of an address at the email service if the statement directly before it
 * changed a row.
 */
export function queueErasure(
  services: IdentityServices,
  { id, ...body }: { id: string; company_id: number; email: string },
): Promise<Bound> {
  const row = { id, kind: "erasure" as const, key: `erasure-${id}`, lifeMs: ERASURE_LIFE_MS };
  return queue(services, { ...row, body, now: services.clock.now() });
}

async function queue(
  services: IdentityServices,
  row: { id: string; kind: MailRow["kind"]; key: string; body: { company_id: number }; now: number; lifeMs: number },
): Promise<Bound> {
  const { id, kind, key, body, now, lifeMs } = row;
  const sealed = await sealMail(services, body, associatedDataOfOutbox(id));
  const { requestId } = services;
  return insertMailOfChange({
    id,
    companyId: body.company_id,
    kind,
    key,
    sealed,
    now,
    deadline: now + lifeMs,
    requestId,
  });
}

/** Seals the content of a mail for the row of the invitation `id`. */
export const sealInvitationMail = (services: IdentityServices, id: string, mail: Mail): Promise<string> =>
  sealMail(services, mail, associatedDataOfInvitation(id));

/** Seals the content of a mail for the outbox row `id`. */
export const sealOutboxMail = (services: IdentityServices, id: string, mail: Mail): Promise<string> =>
  sealMail(services, mail, associatedDataOfOutbox(id));

const associatedDataOfOutbox = (id: string) => `identity:mail_outbox:${id}`;
const associatedDataOfInvitation = (id: string) => `identity:invitations:${id}`;
const associatedDataOfLink = (id: string) => `identity:sign_in_requests:${id}`;

async function sealMail({ keys }: IdentityServices, body: object, associatedData: string): Promise<string> {
  return seal(JSON.stringify(body), (await keys()).sealing, associatedData);
}

/** A claimed mail with its statements, lease and content. */
type Claimed = {
  statements: MailStatements;
  id: string;
  companyId: number;
  lease: string;
  route: MailRoute;
  kind: MailKind;
  body: string;
  attempts: number;
  deadline: number;
  requestId: string;
};

/**
 * Prepares the mail of a sign-in link for the row of the sign-in request `id`. `columns` are the mail's columns of this row.
 * Call `sendNow` after the row is stored: it makes the first attempt. The columns include a lease, so no other consumer
 * attempts the mail before the lease ends.
 */
export async function linkMailOf(services: IdentityServices, id: string, mail: Mail, now: number) {
  const { requestId } = services;
  const lease = uuid();
  const deadline = now + LINK_MAIL_LIFE_MS;
  const claimed: Claimed = {
    statements: linkMails,
    id,
    lease,
    route: mailRoutes.magic_link,
    kind: "magic_link",
    companyId: mail.company_id,
    body: JSON.stringify(mail),
    attempts: 1,
    deadline,
    requestId,
  };
  const sealed = await sealMail(services, mail, associatedDataOfLink(id));
  return {
    columns: {
      mail: sealed,
      mailLease: lease,
      mailLeaseEnd: now + LEASE_MS,
      mailDeadline: deadline,
      mailRequestId: requestId,
    },
    sendNow: () => attempt(services, claimed),
  };
}

/**
 * Claims a mail, sends it to the email service and records the result. If the isolate dies at any point, the retry uses the
 * same idempotency key, so the email service accepts the mail only once. Does nothing for a mail that is not due or is leased
 * by another consumer. `fence` is the fence of a job run, or null for other callers.
 */
export async function attemptMail(services: IdentityServices, id: string, fence: number | null = null): Promise<void> {
  const { db, clock } = services;
  const lease = uuid();
  const now = clock.now();
  const claim = { id, now, lease, leaseEnd: now + LEASE_MS, fence };
  const { linkMail, outboxMail, invitationMail } = await db.batch({
    linkMail: linkMails.claim(claim),
    outboxMail: outboxMails.claim(claim),
    invitationMail: invitationMails.claim(claim),
  });
  const [row, statements, associatedData] = linkMail.first
    ? [linkMail.first, linkMails, associatedDataOfLink(id)]
    : outboxMail.first
      ? [outboxMail.first, outboxMails, associatedDataOfOutbox(id)]
      : [invitationMail.first, invitationMails, associatedDataOfInvitation(id)];
  if (!row) return;
  const body = await readBody(services, { ...row, id, associatedData });
  if (body === null) {
    await db.run(statements.finish({ id, lease, state: "failed", error: "nothing_to_say" }));
    return;
  }
  await attempt(services, {
    id,
    lease,
    kind: row.kind,
    attempts: row.attempts,
    statements,
    body,
    route: mailRoutes[row.kind],
    companyId: row.company_id,
    deadline: row.deadline_at,
    requestId: row.request_id,
  });
}

/**
 * Returns the content of a mail as JSON. The content is sealed in the row of the mail; that of a new-device mail is built
 * from the session. Returns null when the row has no content or the session no longer exists.
 */
async function readBody(
  services: IdentityServices,
  { id, kind, sealed, associatedData }: { id: string; kind: string; sealed: string | null; associatedData: string },
): Promise<string | null> {
  if (kind === "new_device") return newDeviceMail(services, id);
  return sealed === null ? null : open(sealed, (await services.keys()).sealing, associatedData);
}

/** Sends the mail to the email service and records the result. */
async function attempt(services: IdentityServices, claimed: Claimed): Promise<void> {
  const { db, clock, log } = services;
  const { statements, id, lease, body, requestId, kind, attempts } = claimed;
  const { path, finalStatuses } = claimed.route;
  if (kind === "invitation") {
    const wait = await reserveInvitationMail(services, claimed.companyId);
    if (wait > 0) return hold(services, claimed, { error: "paced", wait });
  }
  const outcome = await postToEmailService(services, { path, body, requestId, finalStatuses });
  if (kind === "invitation" && outcome.kind === "retry" && outcome.error === "http_429") {
    return hold(services, claimed, { error: outcome.error, wait: outcome.retryAfterMs ?? 0 });
  }
  if (outcome.kind === "retry") return postpone(services, claimed, outcome);
  if (outcome.kind === "sent") {
    await db.run(statements.finish({ id, lease, state: "sent", error: null }));
    return;
  }
  const { error } = outcome;
  const failed = statements.finish({ id, lease, state: "failed", error });
  const event = statements.insertFailedEvent({ id, eventId: services.newEventId(), now: clock.now() });
  await db.batch({ failed: followedBy(failed, event) });
  log.error("mail failed", { mail_id: id, kind, attempt: attempts, reason: error });
}

/**
 * Releases the mail of an invitation that a rate limit holds back. The attempt does not count. The job `retry_mail` makes the
 * next attempt.
 */
async function hold(
  { db, clock, log }: IdentityServices,
  { statements, id, lease, kind }: Claimed,
  { error, wait }: { error: string; wait: number },
): Promise<void> {
  await db.run(statements.postpone({ id, lease, nextAt: clock.now() + wait, error, refund: 1 }));
  log.info("mail held back", { mail_id: id, kind, reason: error, wait_ms: wait });
}

/** Releases a mail for a later attempt. Enqueues the later attempt, unless the job `retry_mail` makes it. */
async function postpone(
  services: IdentityServices,
  { statements, id, companyId, lease, kind, attempts, route, deadline, requestId }: Claimed,
  outcome: { error: string; retryAfterMs?: number },
): Promise<void> {
  const { db, clock, log, queue } = services;
  const policy: BackoffPolicy = { delays: WAITS_MS, lastDelay: route.sweepWaitMs };
  const wait = backoffAfter(policy, attempts, outcome.retryAfterMs);
  const nextAt = clock.now() + wait;
  await db.run(statements.postpone({ id, lease, nextAt, error: outcome.error, refund: 0 }));
  log.warn("mail postponed", { mail_id: id, kind, attempt: attempts, reason: outcome.error, wait_ms: wait });
  if (attempts > WAITS_MS.length || nextAt >= deadline) return;
  await queue.send(
    { v: 1, kind: "mail", company_id: companyId, id, request_id: requestId },
    { delaySeconds: Math.ceil(wait / SECOND_MS) },
  );
}

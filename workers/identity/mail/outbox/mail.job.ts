import { followedBy } from "../../../kit/db/statement";
import { type Counts, everyMinute, type Job, type JobRun, SHORT_LOCK } from "../../../kit/jobs/job";
import { rollUpLog, selectRollUpDue } from "../../records/metrics/roll-up";
import type { IdentityServices } from "../../services";
import { invitationPace } from "./invitation-pace";
import { attemptMail } from "./mail";
import { findDueInvitationMails, invitationMails, linkMails, type MailStatements, outboxMails } from "./mail.store";

/** Maximum number of parallel attempts in a run. */
const MAX_PARALLEL_MAILS = 5;
/** Maximum number of invitation mails that a run expires. */
const MAX_EXPIRED_INVITATIONS = 200;
/** Maximum number of invitation mails that a run sends for a company when the rate limit of invitation mails is off. */
const MAX_INVITATION_MAILS = 200;

/** Every minute, sends the due mails that the queue consumer has not sent. */
export const retryMailJob: Job<IdentityServices> = {
  name: "retry_mail",
  schedule: everyMinute,
  overdueAfterSeconds: 180,
  ...SHORT_LOCK,
  counts: ["mails_attempted", "mails_expired"],
  scheduledFlags: {},
  run: retryMail,
  summarize: ({ mails_attempted, mails_expired }) => `attempted=${mails_attempted} expired=${mails_expired}`,
  preview: async (services) => {
    const { db, clock } = services;
    const now = clock.now();
    const { links, others, invitations } = await db.batch({
      links: linkMails.countDue({ now }),
      others: outboxMails.countDue({ now }),
      invitations: selectDueInvitationMails(services),
    });
    const dueInvitations = invitations.rows.reduce(
      (sum, { mails }) => sum + mailsOfRun(services, mails, now).length,
      0,
    );
    const due = (links.first?.due ?? 0) + (others.first?.due ?? 0) + dueInvitations;
    return { summary: `would attempt=${due}`, counts: { mails_attempted: due } };
  },
};

/**
 * Expires mails past their deadline and inserts their events. Then attempts the remaining due mails until the run has to stop,
 * beginning with those of sign-in links and ending with those of invitations. Finally rolls up the event log if that is due.
 */
async function retryMail(services: IdentityServices, run: JobRun): Promise<Counts> {
  const { db, clock, settings } = services;
  const now = clock.now();
  const { links, others, invitations, rollUp } = await db.batch({
    links: linkMails.findDue({ now }),
    others: outboxMails.findDue({ now }),
    invitations: selectDueInvitationMails(services),
    rollUp: selectRollUpDue(services),
  });
  const invitationMailsDue = interleave(invitations.rows.map(({ mails }) => mailsOfRun(services, mails, now)));
  const due = [...links.rows, ...others.rows, ...invitationMailsDue];
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const isExpired = (row: { deadline_at: number }) => row.deadline_at <= now;
  const expired = await expire(services, run, now, {
    links: idsOf(links.rows.filter(isExpired)),
    others: idsOf(others.rows.filter(isExpired)),
    invitations: idsOf(invitationMailsDue.filter(isExpired).slice(0, MAX_EXPIRED_INVITATIONS)),
  });
  const waiting = idsOf(due.filter((row) => !isExpired(row)));
  let attempted = 0;
  for (let index = 0; index < waiting.length; index += MAX_PARALLEL_MAILS) {
    if (clock.now() + settings.emailTimeoutMs >= run.stopAt) break;
    const part = waiting.slice(index, index + MAX_PARALLEL_MAILS);
    await Promise.all(part.map((id) => attemptMail(services, id, run.fence)));
    attempted += part.length;
    run.report({ mails_attempted: attempted, mails_expired: expired });
  }
  if (rollUp.first?.due === true) await rollUpLog(services);
  return { mails_attempted: attempted, mails_expired: expired };
}

/**
 * Returns the mails of all companies in turns: the first of each company, then the second of each, and so on. A company with
 * many invitations therefore does not delay those of others.
 */
function interleave<T>(mailsOfCompanies: readonly T[][]): T[] {
  const longest = Math.max(0, ...mailsOfCompanies.map((mails) => mails.length));
  return Array.from({ length: longest }, (_, index) =>
    mailsOfCompanies.flatMap((mails) => mails.slice(index, index + 1)),
  ).flat();
}

/** Returns how many invitation mails a run may send for a company. */
const invitationLimit = (services: IdentityServices) => invitationPace(services)?.limit ?? MAX_INVITATION_MAILS;

/** Returns the statement that selects the due mails of invitations: per company, at least as many as a run may send. */
function selectDueInvitationMails(services: IdentityServices) {
  const limit = Math.max(invitationLimit(services), MAX_EXPIRED_INVITATIONS);
  return findDueInvitationMails({ now: services.clock.now(), limit });
}

/**
 * Returns the due invitation mails of a company that a run handles: the expired ones, and as many others as it may send.
 * Expired mails must not count, or a company with many of them would send none.
 */
function mailsOfRun<T extends { deadline_at: number }>(
  services: IdentityServices,
  mails: readonly T[],
  now: number,
): T[] {
  const isExpired = (mail: T) => mail.deadline_at <= now;
  const others = mails.filter((mail) => !isExpired(mail));
  return [...mails.filter(isExpired), ...others.slice(0, invitationLimit(services))];
}

/** Expires the mails and returns the number of expired mails. */
async function expire(
  { db, log, newEventId }: IdentityServices,
  run: JobRun,
  now: number,
  expiredIds: { links: string[]; others: string[]; invitations: string[] },
): Promise<number> {
  const { fence } = run;
  const end = ({ expire, insertFailedEvent }: MailStatements, ids: string[]) =>
    ids.map((id) => followedBy(expire({ id, now, fence }), insertFailedEvent({ id, eventId: newEventId(), now })));
  const ended = await db.batch({
    links: end(linkMails, expiredIds.links),
    others: end(outboxMails, expiredIds.others),
    // The invitation itself shows that its mail failed, so there is no event.
    invitations: expiredIds.invitations.map((id) => invitationMails.expire({ id, now, fence })),
  });
  const count = [...ended.links, ...ended.others, ...ended.invitations].reduce((sum, { changes }) => sum + changes, 0);
  if (count > 0) log.error("mail expired before the email service accepted it", { count });
  return count;
}

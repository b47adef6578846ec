import { and, asc, eq, gt, inArray, lte, type SQLWrapper, sql } from "drizzle-orm";
import { event_log, mail_outbox } from "../../../db/identity/schema";
import { holdsFence } from "../../../db/kit/jobs";
import { integer, json, nullable } from "../../kit/db/kind";
import { all, each, insertSelect, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { isFree } from "../../kit/outbox/lease.store";

const waiting = {
  id: mail_outbox.id,
  companyId: mail_outbox.company_id,
  kind: mail_outbox.kind,
  key: mail_outbox.idempotency_key,
  sealed: mail_outbox.sealed,
  now: mail_outbox.created_at,
  deadline: mail_outbox.deadline_at,
  requestId: mail_outbox.request_id,
};

/** A mail that must leave. */
export const insertMail = statement(waiting, (p) =>
  q
    .insert(mail_outbox)
    .values({
      id: p.id,
      company_id: p.companyId,
      kind: p.kind,
      idempotency_key: p.key,
      sealed: p.sealed,
      state: "waiting",
      next_at: p.now,
      deadline_at: p.deadline,
      request_id: p.requestId,
      created_at: p.now,
    })
    .onConflictDoNothing(),
);

/** As insertMail, right behind the statement that the mail reports: written only when that one changed a row. */
export const insertMailOfChange = statement(waiting, (p) =>
  insertSelect(
    mail_outbox,
    {
      id: p.id,
      company_id: p.companyId,
      kind: p.kind,
      idempotency_key: p.key,
      sealed: p.sealed,
      state: "waiting",
      next_at: p.now,
      deadline_at: p.deadline,
      request_id: p.requestId,
      created_at: p.now,
    },
    sql`where changes() > 0 on conflict do nothing`,
  ),
);

const isDue = (now: SQLWrapper) => and(lte(mail_outbox.next_at, now), isFree(mail_outbox, now));
const isWaiting = eq(mail_outbox.state, "waiting");
const released = { lease: null, locked_until: null };

/** Takes one due row. A row past its deadline is not claimed: the sweep ends it. `fence` is that of a run. */
export const claimMail = statement(
  {
    id: mail_outbox.id,
    now: integer,
    lease: mail_outbox.lease,
    leaseEnd: mail_outbox.locked_until,
    fence: nullable(integer),
  },
  (p) =>
    q
      .update(mail_outbox)
      .set({ lease: p.lease, locked_until: p.leaseEnd, attempts: sql`${mail_outbox.attempts} + 1` })
      .where(
        and(
          ...[eq(mail_outbox.id, p.id), isWaiting, gt(mail_outbox.deadline_at, p.now), isDue(p.now)],
          holdsFence("retry_mail", p.fence),
        ),
      )
      .returning(all(mail_outbox)),
);

const leased = { id: mail_outbox.id, lease: mail_outbox.lease, error: mail_outbox.last_error };
const isLeased = (p: Record<"id" | "lease", SQLWrapper>) =>
  and(eq(mail_outbox.id, p.id), eq(mail_outbox.lease, p.lease), isWaiting);

/** The end of a row; the sealed variables go with it. */
export const finishMail = statement({ ...leased, state: mail_outbox.state }, (p) =>
  q
    .update(mail_outbox)
    .set({ state: p.state, last_error: p.error, sealed: null, ...released })
    .where(isLeased(p)),
);

/** Gives a row back for a later attempt; the sweep ends it at its deadline at the latest. */
export const postponeMail = statement({ ...leased, nextAt: mail_outbox.next_at }, (p) =>
  q
    .update(mail_outbox)
    .set({ next_at: sql`min(${p.nextAt}, ${mail_outbox.deadline_at})`, last_error: p.error, ...released })
    .where(isLeased(p)),
);

/** Due rows of the sweep, at most 200; longest waiting first. */
export const findDueMail = statement({ now: integer }, (p) =>
  q
    .select({ id: mail_outbox.id, deadline_at: mail_outbox.deadline_at })
    .from(mail_outbox)
    .where(and(isWaiting, isDue(p.now)))
    .orderBy(asc(mail_outbox.next_at))
    .limit(200),
);

/** Whether a row ends now by its deadline; its id has led to it (the plus keeps the planner there). `fence` is that of a run. */
const isExpiring = (p: { now: SQLWrapper; fence: SQLWrapper }) =>
  and(
    sql`+${mail_outbox.state} = 'waiting'`,
    lte(mail_outbox.deadline_at, p.now),
    isFree(mail_outbox, p.now),
    holdsFence("retry_mail", p.fence),
  );

/** Ends rows past their deadline, found by their ids. */
export const expireMail = statement({ now: integer, ids: json<string[]>(), fence: nullable(integer) }, (p) =>
  q
    .update(mail_outbox)
    .set({
      state: "expired",
      last_error: sql`coalesce(${mail_outbox.last_error}, 'expired')`,
      sealed: null,
      ...released,
    })
    .where(and(inArray(mail_outbox.id, sql`(select value from json_each(${p.ids}))`), isExpiring(p)))
    .returning({ id: mail_outbox.id }),
);

/** How many rows a run would attempt or end. */
export const countDueMail = statement({ now: integer }, (p) =>
  q
    .select({ due: sql`count(*)`.mapWith(integer) })
    .from(mail_outbox)
    .where(and(isWaiting, isDue(p.now))),
);

const failedEvent = (reason: SQLWrapper) => ({
  company_id: mail_outbox.company_id,
  event_type: "identity.auth.magic_link.mail_failed",
  data: sql`json_object('provider', 'magic_link', 'failure_reason', ${reason}, 'request_id', ${mail_outbox.request_id})`,
});
const isLink = eq(mail_outbox.kind, "magic_link");

/** The log-only event of a mail that was refused for good, right behind its end, and written only when that was the end. */
export const insertMailFailedEvent = statement(
  { id: mail_outbox.id, eventId: event_log.id, now: event_log.created_at },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.eventId,
        ...failedEvent(sql`coalesce(${mail_outbox.last_error}, ${mail_outbox.state})`),
        created_at: p.now,
      },
      sql`from ${mail_outbox} where changes() > 0 and ${mail_outbox.id} = ${p.id} and ${isLink}
        and ${mail_outbox.state} = 'failed' on conflict do nothing`,
    ),
);

/** As insertMailFailedEvent, of mails that expireMail is going to end in the same batch. */
export const insertMailExpiredEvents = statement(
  { mails: json<{ id: string; event_id: string }[]>(), now: integer, fence: nullable(integer) },
  (p) => {
    const mail = each(p.mails);
    return insertSelect(
      event_log,
      { id: mail.of.event_id, ...failedEvent(sql`coalesce(${mail_outbox.last_error}, 'expired')`), created_at: p.now },
      sql`from ${mail.from} cross join ${mail_outbox} on ${mail_outbox.id} = ${mail.of.id}
        where ${isLink} and ${isExpiring(p)} on conflict do nothing`,
    );
  },
);

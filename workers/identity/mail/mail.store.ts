import { and, asc, eq, gt, inArray, lte, type SQLWrapper, sql } from "drizzle-orm";
import { event_log, mail_outbox } from "../../../db/identity/schema";
import { holdsFence } from "../../../db/kit/jobs";
import { integer, json, nullable } from "../../kit/db/kind";
import { all, insertSelect, q } from "../../kit/db/query";
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

/** Ends rows past their deadline, found by their ids (the plus keeps the planner there). `fence` is that of a run. */
export const expireMail = statement({ now: integer, ids: json<string[]>(), fence: nullable(integer) }, (p) =>
  q
    .update(mail_outbox)
    .set({
      state: "expired",
      last_error: sql`coalesce(${mail_outbox.last_error}, 'expired')`,
      sealed: null,
      ...released,
    })
    .where(
      and(
        inArray(mail_outbox.id, sql`(select value from json_each(${p.ids}))`),
        sql`+${mail_outbox.state} = 'waiting'`,
        lte(mail_outbox.deadline_at, p.now),
        isFree(mail_outbox, p.now),
        holdsFence("retry_mail", p.fence),
      ),
    )
    .returning({ id: mail_outbox.id }),
);

/** How many rows a run would attempt or end. */
export const countDueMail = statement({ now: integer }, (p) =>
  q
    .select({ due: sql`count(*)`.mapWith(integer) })
    .from(mail_outbox)
    .where(and(isWaiting, isDue(p.now))),
);

/** The log-only event of a mail that could not leave; the id of the mail's row is its event id. */
export const insertMailFailedEvent = statement({ id: mail_outbox.id, now: event_log.created_at }, (p) =>
  insertSelect(
    event_log,
    {
      event_id: mail_outbox.id,
      company_id: mail_outbox.company_id,
      event_type: "identity.auth.magic_link.mail_failed",
      data: sql`json_object('provider', 'magic_link',
        'failure_reason', coalesce(${mail_outbox.last_error}, ${mail_outbox.state}), 'request_id', ${mail_outbox.request_id})`,
      created_at: p.now,
    },
    sql`from ${mail_outbox} where ${mail_outbox.id} = ${p.id} and ${mail_outbox.kind} = 'magic_link'
      and ${mail_outbox.state} in ('failed', 'expired') on conflict do nothing`,
  ),
);

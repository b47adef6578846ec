import { and, asc, eq, gt, inArray, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { event_log, invitations, mail_outbox, sign_in_requests } from "../../../../db/identity/schema";
import { holdsFence } from "../../../../db/kit/jobs";
import type { IdentityEventType } from "../../../../schemas/identity/events";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { columnName, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { hasNoLease } from "../../../kit/outbox/lease.store";

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

/** Inserts a mail into the outbox if the statement directly before it changed a row. */
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

type State = "sealed" | "state" | "attempts" | "next_at" | "deadline_at" | "locked_until" | "lease" | "last_error";

/** The columns that store a waiting mail: in `mail_outbox`, or in the row of its sign-in request. */
type Mails = Record<State | "id" | "company_id" | "request_id", AnySQLiteColumn> & {
  table: SQLiteTable;
  kind: SQLWrapper;
  /**
   * the event that reports a failed mail; it is inserted only if `condition` is true. In `mail_outbox`, the condition is
   * true only for mails of the kinds `membership` and `notice`
   */
  failure: { type: IdentityEventType; facts: SQL; condition: SQLWrapper };
};

const isDueMail = ({ state, next_at, locked_until }: Mails, now: SQLWrapper) =>
  and(sql`${state} = 'waiting'`, lte(next_at, now), hasNoLease({ locked_until }, now));

/** Returns the statements that find the due mails of one table. */
function dueStatements(mails: Mails) {
  const { table, id, deadline_at, next_at } = mails;
  return {
    /** Selects at most 200 due mails, longest due first. */
    findDue: statement({ now: integer }, (p) =>
      selectRows(
        { id: sql`${id}`.mapWith(text), deadline_at: sql`${deadline_at}`.mapWith(integer) },
        (columns) =>
          sql`select ${columns} from ${table} where ${isDueMail(mails, p.now)} order by ${asc(next_at)} limit 200`,
      ),
    ),
    /** Selects the number of mails that a run would attempt or expire. */
    countDue: statement({ now: integer }, (p) =>
      queryBuilder
        .select({ due: sql`count(*)`.mapWith(integer) })
        .from(table)
        .where(isDueMail(mails, p.now)),
    ),
  };
}

/**
 * Returns the statements for the waiting mails of one table. The SQL contains the state as a literal, so that SQLite can use
 * the partial index of waiting mails.
 */
function mailStatements(mails: Mails) {
  const { table, id, kind, failure, sealed, state, attempts, next_at, deadline_at, locked_until, lease, last_error } =
    mails;
  const now = integer;
  const isWaiting = sql`${state} = 'waiting'`;
  const isDue = (time: SQLWrapper) => isDueMail(mails, time);
  const fence = nullable(integer);
  const holds = (run: SQLWrapper) => holdsFence("retry_mail", run);
  const leased = { id: text, lease: text, error: nullable(text) };
  const isLeased = (p: Record<"id" | "lease", SQLWrapper>) => and(eq(id, p.id), eq(lease, p.lease), isWaiting);
  const released = sql`${columnName(lease)} = null, ${columnName(locked_until)} = null`;
  return {
    /**
     * Claims one due mail and returns its content. Mails past their deadline are left to the job `retry_mail`. `fence` is the
     * fence of the job run, or null for other callers.
     */
    claim: statement({ id: text, now, lease: text, leaseEnd: integer, fence }, (p) =>
      selectRows(
        {
          sealed: sql`${sealed}`.mapWith(nullable(text)),
          kind: sql`${kind}`.mapWith(mail_outbox.kind),
          attempts: sql`${attempts}`.mapWith(integer),
          deadline_at: sql`${deadline_at}`.mapWith(integer),
          company_id: sql`${mails.company_id}`.mapWith(integer),
          request_id: sql`${mails.request_id}`.mapWith(text),
        },
        (columns) => sql`update ${table}
          set ${columnName(lease)} = ${p.lease}, ${columnName(locked_until)} = ${p.leaseEnd}, ${columnName(attempts)} = ${attempts} + 1
          where ${and(eq(id, p.id), gt(deadline_at, p.now), isDue(p.now), holds(p.fence))} returning ${columns}`,
      ),
    ),
    /** Finishes a mail and erases its content. */
    finish: statement(
      { ...leased, state: text },
      (p) => sql`update ${table}
        set ${columnName(state)} = ${p.state}, ${columnName(last_error)} = ${p.error}, ${columnName(sealed)} = null, ${released}
        where ${isLeased(p)}`,
    ),
    /**
     * Releases a mail for a later attempt. The mail is due again at its deadline at the latest, so that `retry_mail` can
     * expire it. `refund` is 1 when the attempt does not count, otherwise 0.
     */
    postpone: statement(
      { ...leased, nextAt: integer, refund: integer },
      (p) => sql`update ${table}
        set ${columnName(attempts)} = ${attempts} - ${p.refund}, ${columnName(next_at)} = min(${p.nextAt}, ${deadline_at}), ${columnName(last_error)} = ${p.error}, ${released}
        where ${isLeased(p)}`,
    ),
    /** Expires a mail past its deadline. `fence` is the fence of the job run. */
    expire: statement(
      { id: text, now, fence },
      (p) => sql`update ${table} set ${columnName(state)} = 'expired', ${columnName(sealed)} = null, ${released},
          ${columnName(last_error)} = coalesce(${last_error}, 'expired')
        where ${and(eq(id, p.id), isWaiting, lte(deadline_at, p.now), hasNoLease({ locked_until }, p.now), holds(p.fence))}`,
    ),
    /** Inserts the log-only event of a failed mail if the statement directly before it finished or expired the mail. */
    insertFailedEvent: statement({ id: text, eventId: event_log.id, now: event_log.created_at }, (p) =>
      insertSelect(
        event_log,
        {
          id: p.eventId,
          company_id: mails.company_id,
          event_type: failure.type,
          data: sql`json_object(${failure.facts},
            'failure_reason', coalesce(${last_error}, ${state}), 'request_id', ${mails.request_id})`,
          created_at: p.now,
        },
        sql`from ${table} where changes() > 0 and ${id} = ${p.id} and ${failure.condition} on conflict do nothing`,
      ),
    ),
  };
}

const requests = sign_in_requests;

const linkColumns: Mails = {
  table: requests,
  kind: sql`'magic_link'`,
  failure: {
    type: "identity.auth.magic_link.mail_failed",
    facts: sql`'provider', 'magic_link'`,
    condition: sql`true`,
  },
  id: requests.id,
  company_id: requests.company_id,
  sealed: requests.mail_sealed,
  state: requests.mail_state,
  attempts: requests.mail_attempts,
  next_at: requests.mail_next_at,
  deadline_at: requests.mail_deadline_at,
  locked_until: requests.mail_locked_until,
  lease: requests.mail_lease,
  last_error: requests.mail_error,
  request_id: requests.mail_request_id,
};

/** The statements for the mails of sign-in links, each of which is stored in the row of its sign-in request. */
export const linkMails = { ...mailStatements(linkColumns), ...dueStatements(linkColumns) };

const outboxColumns: Mails = {
  ...mail_outbox,
  table: mail_outbox,
  failure: {
    type: "identity.membership.mail_failed",
    facts: sql`'idempotency_key', ${mail_outbox.idempotency_key}`,
    condition: inArray(mail_outbox.kind, ["membership", "notice"]),
  },
};

/** The statements for `mail_outbox`: erasures, and mails that belong neither to a sign-in link nor to an invitation. */
export const outboxMails = { ...mailStatements(outboxColumns), ...dueStatements(outboxColumns) };

/** The statements for the mails of invitations, each of which is stored in the row of its invitation. */
export const invitationMails = mailStatements({
  table: invitations,
  kind: sql`'invitation'`,
  // The state of the invitation's row records a failed mail, so no event is inserted.
  failure: {
    type: "identity.membership.mail_failed",
    facts: sql`'invitation_id', ${invitations.id}`,
    condition: sql`false`,
  },
  id: invitations.id,
  company_id: invitations.company_id,
  sealed: invitations.mail_sealed,
  state: invitations.mail_state,
  attempts: invitations.mail_attempts,
  next_at: invitations.mail_next_at,
  deadline_at: invitations.mail_deadline_at,
  locked_until: invitations.mail_locked_until,
  lease: invitations.mail_lease,
  last_error: invitations.mail_error,
  request_id: invitations.mail_request_id,
});

/** An invitation mail that is due. */
export type DueInvitationMail = { id: string; deadline_at: number };

/**
 * Selects the due mails of invitations: for each company at most `limit`, longest due first. Invitations of one company
 * therefore do not delay those of others.
 */
export const findDueInvitationMails = statement({ now: integer, limit: integer }, (p) =>
  selectRows(
    {
      company_id: sql`due.company_id`.mapWith(integer),
      mails: sql`due.mails`.mapWith(json<DueInvitationMail[]>()),
    },
    (columns) => sql`with recursive waiting(company_id) as (
        select min(${invitations.company_id}) from ${invitations} where ${invitations.mail_state} = 'waiting'
        union all select (select min(${invitations.company_id}) from ${invitations}
          where ${invitations.mail_state} = 'waiting' and ${invitations.company_id} > waiting.company_id) from waiting
        where waiting.company_id is not null),
      due(company_id, mails) as (select waiting.company_id, (select json_group_array(json_object('id', id, 'deadline_at', deadline_at))
        from (select ${invitations.id} as id, ${invitations.mail_deadline_at} as deadline_at from ${invitations}
          where ${invitations.company_id} = waiting.company_id and ${invitations.mail_state} = 'waiting'
            and ${invitations.mail_next_at} <= ${p.now} and ${hasNoLease({ locked_until: invitations.mail_locked_until }, p.now)}
          order by ${invitations.mail_next_at} limit ${p.limit})) from waiting where waiting.company_id is not null)
      select ${columns} from due where due.mails <> '[]'`,
  ),
);

/** The statements for the mails of one of the three tables. */
export type MailStatements = ReturnType<typeof mailStatements>;

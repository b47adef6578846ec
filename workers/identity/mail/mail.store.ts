import { sql as query } from "drizzle-orm";
import { mail_outbox } from "../../../db/identity/schema";
import { sql } from "../../kit/db";
import { insertSelect, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { holdsFence } from "../../kit/jobs/runs/run.store";

export type { MailRow } from "../../../db/identity/schema";

/** The kind of rows that ask the email service to erase an address; all others are mails. */
export const erasureKind = "erasure";

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
    query`where changes() > 0 on conflict do nothing`,
  ),
);

/**
 * (id, now, lease, lease end, fence?): takes one due row. A row under another's live lease is left alone, and a row past its
 * deadline is not claimed: the sweep ends it.
 */
export const claimMail = sql(
  `UPDATE mail_outbox SET lease = ?3, locked_until = ?4, attempts = attempts + 1
   WHERE id = ?1 AND state = 'waiting' AND next_at <= ?2 AND deadline_at > ?2
     AND (locked_until IS NULL OR locked_until <= ?2) AND ${holdsFence("retry_mail", "?5")} RETURNING *`,
);

/** (id, lease, state, error?): the end of a row; the sealed variables go with it. */
export const finishMail = sql(
  `UPDATE mail_outbox SET state = ?3, last_error = ?4, sealed = NULL, lease = NULL, locked_until = NULL
   WHERE id = ?1 AND lease = ?2 AND state = 'waiting'`,
);

/** (id, lease, next attempt, error): gives a row back for a later attempt; the sweep ends it at its deadline at the latest. */
export const postponeMail = sql(
  `UPDATE mail_outbox SET next_at = min(?3, deadline_at), last_error = ?4, lease = NULL, locked_until = NULL
   WHERE id = ?1 AND lease = ?2 AND state = 'waiting'`,
);

/** (now): due rows of the sweep, at most 200; longest waiting first. */
export const findDueMail = sql(
  `SELECT id, deadline_at FROM mail_outbox WHERE state = 'waiting' AND next_at <= ?1
     AND (locked_until IS NULL OR locked_until <= ?1) ORDER BY next_at LIMIT 200`,
);

/** (now, ids as JSON, fence?): ends rows past their deadline, found by their ids (the plus keeps the planner there). */
export const expireMail = sql(
  `UPDATE mail_outbox SET state = 'expired', last_error = coalesce(last_error, 'expired'), sealed = NULL, lease = NULL,
     locked_until = NULL
   WHERE id IN (SELECT value FROM json_each(?2)) AND +state = 'waiting' AND deadline_at <= ?1
     AND (locked_until IS NULL OR locked_until <= ?1) AND ${holdsFence("retry_mail", "?3")}
   RETURNING id`,
);

/** (now): how many rows a run would attempt or end. */
export const countDueMail = sql(
  `SELECT count(*) AS due FROM mail_outbox WHERE state = 'waiting' AND next_at <= ?1
     AND (locked_until IS NULL OR locked_until <= ?1)`,
);

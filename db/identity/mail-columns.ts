import { integer, text } from "drizzle-orm/sqlite-core";

/**
 * Returns the columns of a table whose rows carry an email, in the same form as in `mail_outbox`. There is no email when the
 * state is null.
 */
export const mailColumns = () => ({
  mail_sealed: text(),
  mail_state: text({ enum: ["waiting", "sent", "failed", "expired"] }),
  mail_attempts: integer().notNull().default(0),
  mail_next_at: integer(),
  mail_deadline_at: integer(),
  mail_locked_until: integer(),
  mail_lease: text(),
  mail_error: text(),
  mail_request_id: text(),
});

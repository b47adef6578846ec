import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The event log (details of Document 3, 4.2); identity has one of its own with the columns of sign-ins. */
export function eventLogTable() {
  return sqliteTable(
    "event_log",
    {
      id: integer().primaryKey({ autoIncrement: true }),
      event_id: text().notNull().unique(),
      /** null: a platform event, for staff only */
      company_id: integer(),
      event_type: text().notNull(),
      user_id: integer(),
      actor_email: text(),
      data: text().notNull(),
      /** JSON of the envelope's `actor` */
      actor: text(),
      /** the bytes that every webhook of the event carries; null for events that no rule may name */
      envelope: text(),
      created_at: integer().notNull(),
    },
    (t) => [
      index("event_log_created").on(t.created_at),
      index("event_log_company").on(t.company_id, t.created_at),
      index("event_log_type").on(t.company_id, t.event_type, t.created_at),
    ],
  );
}

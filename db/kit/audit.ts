import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Returns the table of an audit log, which records who changed what, without secrets and addresses. Each service has
 * its own table. `company_id` 0 means no company.
 */
export function auditTable() {
  return sqliteTable(
    "audit_log",
    {
      id: integer().primaryKey({ autoIncrement: true }),
      at: integer().notNull(),
      actor_kind: text({ enum: ["session", "pat", "service", "operator"] }).notNull(),
      /** null for a service or the operator, which authenticate with a key */
      actor_user_id: integer(),
      company_id: integer().notNull(),
      action: text().notNull(),
      target: text().notNull(),
      changes: text().notNull(),
    },
    (t) => [index("audit_log_company").on(t.company_id, t.id), index("audit_log_at").on(t.at)],
  );
}

/** The audit log as every service has it, for the statements of the kit. */
export const audit_log = auditTable();

export type AuditRow = typeof audit_log.$inferSelect;

/** The author of a change: a user with a session or token, or a service or the operator with a key (user id null). */
export type AuditActor = { kind: AuditRow["actor_kind"]; userId: number | null };

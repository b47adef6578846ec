import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Who changed what, without secrets and addresses; each service has its own. `company_id` 0: of no company. */
export function auditTable() {
  return sqliteTable(
    "audit_log",
    {
      id: integer().primaryKey({ autoIncrement: true }),
      at: integer().notNull(),
      actor_kind: text({ enum: ["session", "pat", "service", "operator"] }).notNull(),
      /** null: a service or the operator, by a key */
      actor_user_id: integer(),
      company_id: integer().notNull(),
      action: text().notNull(),
      target: text().notNull(),
      changes: text().notNull(),
    },
    (t) => [index("audit_log_company").on(t.company_id, t.id), index("audit_log_at").on(t.at)],
  );
}

/** As it is in every service: the kit builds its statements with it. */
export const audit_log = auditTable();

export type AuditRow = typeof audit_log.$inferSelect;

/** Who made a change: a person by session or token, or a service or the operator by a key (user id null). */
export type AuditActor = { kind: AuditRow["actor_kind"]; userId: number | null };

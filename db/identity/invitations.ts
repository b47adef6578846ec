import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { mailColumns } from "./mail-columns";

// The table of invitations. schema.ts exports it with all tables.

export const invitations = sqliteTable(
  "invitations",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    email: text().notNull(),
    language: text({ enum: ["en", "fr"] }).notNull(),
    /** the address of the application to which the page of the invitation links */
    app_url: text().notNull(),
    token_hash: text().notNull().unique(),
    /** after `expires_at` a pending invitation is shown as expired; a revoked one blocks sign-in until it is lifted */
    status: text({ enum: ["pending", "accepted", "revoked"] }).notNull(),
    /** ids of the groups that the user joins on acceptance */
    group_ids: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    invited_by: integer(),
    accepted_user_id: integer(),
    created_at: integer().notNull(),
    expires_at: integer().notNull(),
    accepted_at: integer(),
    revoked_at: integer(),
    /** when an earlier link was sent, before the invitation was sent again */
    mailed_at: integer(),
    ...mailColumns(),
  },
  (t) => [
    // An address has at most one invitation that is pending or revoked.
    uniqueIndex("invitations_address").on(t.company_id, t.email).where(sql`status <> 'accepted'`),
    index("invitations_company").on(t.company_id, t.id),
    index("invitations_mail").on(t.company_id, t.mail_next_at).where(sql`mail_state = 'waiting'`),
    index("invitations_mail_failed")
      .on(t.company_id, t.id)
      .where(sql`status = 'pending' AND mail_state IN ('failed', 'expired')`),
    index("invitations_accepted").on(t.accepted_user_id).where(sql`accepted_user_id IS NOT NULL`),
  ],
);

/** Returns the condition that the invitation is pending and has not expired at `now` (unix ms). */
export const isOpenInvitation = (now: SQLWrapper): SQL =>
  sql`(${invitations.status} = 'pending' and ${invitations.expires_at} > ${now})`;

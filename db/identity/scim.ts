import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

// The tables of directory sync (SCIM). schema.ts exports them with all tables.

/** The bearer tokens with which a company's directory calls the SCIM endpoints. */
export const scim_tokens = sqliteTable(
  "scim_tokens",
  {
    id: text().primaryKey(),
    company_id: integer().notNull(),
    name: text().notNull().default(""),
    token_hash: text().notNull().unique(),
    token_prefix: text().notNull(),
    created_at: integer().notNull(),
    /** stored at most once a minute */
    last_used_at: integer(),
    revoked_at: integer(),
  },
  (t) => [
    index("scim_tokens_company").on(t.company_id, t.id),
    index("scim_tokens_revoked").on(t.revoked_at).where(sql`revoked_at IS NOT NULL`),
  ],
);

/** The attributes of a user that only the directory uses. The names are stored with the account or the membership. */
export type DirectoryAttributes = {
  display_name?: string;
  formatted_name?: string;
  language?: string;
  timezone?: string;
  /** present if the directory sent `emails`; otherwise the user name is the address */
  email?: { value: string; type: string; primary?: false };
};

/** The users of a company that its directory manages. A trigger of 0019_scim.sql deletes the row with the membership. */
export const scim_users = sqliteTable(
  "scim_users",
  {
    company_id: integer().notNull(),
    user_id: integer().notNull(),
    user_name: text().notNull(),
    /** the user name in lower case */
    user_name_key: text().notNull(),
    external_id: text(),
    attributes: text({ mode: "json" }).$type<DirectoryAttributes>().notNull(),
    /** random; every change of the user replaces it, so that a change based on an older state is rejected */
    revision: text().notNull(),
    created_at: integer().notNull(),
    updated_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.company_id, t.user_id] }),
    uniqueIndex("scim_users_name").on(t.company_id, t.user_name_key),
    index("scim_users_external").on(t.company_id, t.external_id).where(sql`external_id IS NOT NULL`),
  ],
);

/** The changes that a directory requested, with their outcome. */
export const scim_events = sqliteTable(
  "scim_events",
  {
    company_id: integer().notNull(),
    /** a time-ordered UUID */
    id: text().notNull(),
    operation: text({ enum: ["create", "replace", "update", "delete"] }).notNull(),
    resource_type: text({ enum: ["User", "Group"] }).notNull(),
    resource_id: text(),
    ok: integer({ mode: "boolean" }).notNull(),
    /** the error code of a rejected change */
    code: text(),
    detail: text().notNull().default(""),
    created_at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.company_id, t.id] })],
);

/**
 * A position in the list of users: `start` is the 1-based index of the first user after the user id `after`. It is valid while
 * the company has this generation.
 */
export type ListAnchor = { start: number; after: number; generation: number };

/** The last change of a directory that was rejected; `at` is unix ms. */
export type ProvisioningError = { at: number; code: string; type: "User" | "Group"; detail: string };

/** Totals of each company with a directory. The triggers of 0019_scim.sql maintain them. */
export const scim_companies = sqliteTable("scim_companies", {
  company_id: integer().primaryKey(),
  /** number of rows in scim_users */
  users: integer().notNull().default(0),
  /** number of groups whose source is `scim` */
  groups: integer().notNull().default(0),
  /** changes when users move to other positions of the list, which makes the anchors invalid */
  generation: integer().notNull().default(0),
  /** the positions of the last pages, so that a directory that reads all pages in order does not count users again */
  anchors: text({ mode: "json" }).$type<ListAnchor[]>().notNull().default([]),
  last_error: text({ mode: "json" }).$type<ProvisioningError>(),
});

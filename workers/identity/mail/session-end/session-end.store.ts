import { and, eq } from "drizzle-orm";
import { companies, memberships, preferences, sessions, users } from "../../../../db/identity/schema";
import { queryBuilder } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

/** Selects a session, live or ended, with its user and company. */
export const findSessionToEnd = statement({ sid: sessions.id }, (p) =>
  queryBuilder
    .select({
      id: sessions.id,
      user_id: sessions.user_id,
      company_id: sessions.company_id,
      company_name: companies.name,
      company_slug: companies.slug,
      email: users.email,
      is_staff: users.is_staff,
      first_name: users.first_name,
      last_name: users.last_name,
      profile: memberships.profile,
      language: preferences.language,
      region: preferences.region,
      device: sessions.device,
      country: sessions.country,
      created_at: sessions.created_at,
      auth_time: sessions.auth_time,
      revoked_at: sessions.revoked_at,
      idle_expires_at: sessions.idle_expires_at,
      absolute_expires_at: sessions.absolute_expires_at,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .innerJoin(companies, eq(companies.id, sessions.company_id))
    .leftJoin(preferences, eq(preferences.user_id, sessions.user_id))
    .leftJoin(
      memberships,
      and(eq(memberships.company_id, sessions.company_id), eq(memberships.user_id, sessions.user_id)),
    )
    .where(eq(sessions.id, p.sid)),
);

export type SessionToEnd = RowOfStatement<typeof findSessionToEnd>;

import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  accountColumns,
  companyUserColumns,
  joinCompanyUser,
  membershipColumns,
  preferenceColumns,
} from "../../../../db/identity/conditions/company-user";
import {
  companies,
  memberships,
  personal_access_tokens,
  preferences,
  sessions,
  users,
} from "../../../../db/identity/schema";
import { boolean, integer, nullable } from "../../../kit/db/kind";
import { leftJoined, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

/** Selects a session with its user and whether its company is active: everything that authenticate checks. */
export const findLiveSession = statement({ sid: sessions.id }, (p) =>
  queryBuilder
    .select({
      sid: sessions.id,
      user_id: sessions.user_id,
      company_id: sessions.company_id,
      provider: sessions.provider,
      counter: sessions.counter,
      auth_time: sessions.auth_time,
      rotated_at: sessions.rotated_at,
      idle_expires_at: sessions.idle_expires_at,
      absolute_expires_at: sessions.absolute_expires_at,
      revoked_at: sessions.revoked_at,
      revoke_reason: sessions.revoke_reason,
      company_active: companies.is_active,
      ...companyUserColumns,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .innerJoin(companies, eq(companies.id, sessions.company_id))
    .leftJoin(
      memberships,
      and(eq(memberships.company_id, sessions.company_id), eq(memberships.user_id, sessions.user_id)),
    )
    .leftJoin(preferences, eq(preferences.user_id, sessions.user_id))
    .where(eq(sessions.id, p.sid)),
);

export type LiveSessionRow = RowOfStatement<typeof findLiveSession>;

const pats = personal_access_tokens;
const ancestor = alias(personal_access_tokens, "ancestor");
const setter = alias(users, "setter");

/**
 * Selects a personal access token with its current expiry, revocation and rights, in one indexed read. `expires_at`,
 * `revoked_at` and `sees_global_metrics` take all parents into account, because a token created with another token must not
 * live longer or have more rights than its parent. The global metrics flag of a token counts only while the user who set it
 * is active staff.
 */
export const findLivePat = statement({ patId: pats.id }, (p) => {
  const step = sql`select ${ancestor.parent_id}, ${ancestor.expires_at}, ${ancestor.revoked_at},
    ${ancestor.access_global_metrics}, ${ancestor.agm_set_by}`;
  return selectRows(
    {
      pat_id: pats.id,
      user_id: pats.user_id,
      company_id: pats.company_id,
      jti: pats.jti,
      read_only: pats.read_only,
      expires_at: sql`chain.expires_at`.mapWith(integer),
      revoked_at: sql`chain.revoked_at`.mapWith(nullable(integer)),
      sees_global_metrics: sql`chain.sees_global_metrics`.mapWith(boolean),
      company_active: companies.is_active,
      ...accountColumns,
      ...leftJoined({ ...membershipColumns, ...preferenceColumns }),
    },
    (columns) => sql`with recursive ancestors (parent_id, expires_at, revoked_at, flag, set_by) as (
        ${step} from ${tableReference(ancestor)} where ${ancestor.id} = ${p.patId}
        union all ${step} from ancestors join ${tableReference(ancestor)} on ${ancestor.id} = ancestors.parent_id)
      select ${columns}
      from (select min(ancestors.expires_at) as expires_at, max(ancestors.revoked_at) as revoked_at,
          min(ancestors.flag = 1 and coalesce(${setter.is_staff} = 1 and ${setter.is_active} = 1, 0)) as sees_global_metrics
        from ancestors left join ${tableReference(setter)} on ${setter.id} = ancestors.set_by) chain
      join ${pats} on ${pats.id} = ${p.patId}
      join ${users} on ${users.id} = ${pats.user_id} join ${companies} on ${companies.id} = ${pats.company_id}
      ${joinCompanyUser(pats.company_id)}`,
  );
});

export type LivePatRow = RowOfStatement<typeof findLivePat>;

/** Records a successful use of a token; `last_used_at` never decreases. */
export const touchPat = statement({ patId: pats.id, now: integer, network: pats.last_used_network }, (p) =>
  queryBuilder
    .update(pats)
    .set({
      last_used_at: sql`max(coalesce(${pats.last_used_at}, 0), ${p.now})`,
      last_used_network: p.network,
      use_count: sql`${pats.use_count} + 1`,
    })
    .where(eq(pats.id, p.patId)),
);

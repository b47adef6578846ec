import { and, desc, eq, gt, inArray, isNull, type SQLWrapper, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { isAllowed } from "../../../../db/identity/conditions/membership";
import {
  companies,
  memberships,
  type PatRow,
  personal_access_tokens as pats,
  sessions,
  users,
} from "../../../../db/identity/schema";
import { MAX_SCANNED_ROWS } from "../../../kit/db/bounded-scan";
import { integer, nullable } from "../../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Maximum number of live tokens of a user in a company. */
export const MAX_LIVE = 50;

/**
 * A token with the expiry of its parent token. `parent_expires_at` is null without a parent, and 0 when the parent is purged.
 */
export type PatWithParentRow = PatRow & { parent_expires_at: number | null };

const parent = alias(pats, "parent");

/** Selects a token by its id, in any company. */
export const findPat = statement({ id: pats.id }, (p) =>
  queryBuilder
    .select({
      ...allColumns(pats),
      parent_expires_at:
        sql`case when ${pats.parent_id} is not null then coalesce(${parent.expires_at}, 0) end`.mapWith(
          nullable(integer),
        ),
    })
    .from(pats)
    .leftJoin(parent, eq(parent.id, pats.parent_id))
    .where(eq(pats.id, p.id)),
);

const holder = { companyId: pats.company_id, userId: pats.user_id };
const belongsToHolder = (p: { companyId: SQLWrapper; userId: SQLWrapper }) =>
  and(eq(pats.company_id, p.companyId), eq(pats.user_id, p.userId));
const count = { count: sql`count(*)`.mapWith(integer) };

const isLive = (token: { revoked_at: AnySQLiteColumn; expires_at: AnySQLiteColumn }, now: SQLWrapper) =>
  and(isNull(token.revoked_at), gt(token.expires_at, now));

const position = { time: pats.created_at, before: pats.id };

/** Selects the user's tokens before the given position, newest first. */
export const listPats = statement({ ...holder, ...position, limit: integer, offset: integer }, (p) =>
  queryBuilder
    .select(allColumns(pats))
    .from(pats)
    .where(and(belongsToHolder(p), sql`(${pats.created_at}, ${pats.id}) < (${p.time}, ${p.before})`))
    .orderBy(desc(pats.created_at), desc(pats.id))
    .limit(p.limit)
    .offset(p.offset),
);

/** Selects the number of the user's tokens, counted up to the maximum number of rows that a list reads. */
export const countPats = statement(holder, (p) =>
  selectRows(
    count,
    (columns) =>
      sql`select ${columns} from (select 1 from ${pats} where ${belongsToHolder(p)} limit ${MAX_SCANNED_ROWS})`,
  ),
);

/** Selects the number of the user's live tokens. */
export const countLivePats = statement({ ...holder, now: integer }, (p) =>
  queryBuilder
    .select(count)
    .from(pats)
    .where(and(belongsToHolder(p), isLive(pats, p.now))),
);

/**
 * The parameters of statements that issue a token: the holder, the time, and the caller's credential. The credential is a
 * session (`sid`) or a token (`callerId` and `callerJti`).
 */
const issuing = {
  ...holder,
  now: integer,
  sid: nullable(sessions.id),
  callerId: nullable(pats.id),
  callerJti: nullable(pats.jti),
};
type Issuing = Record<keyof typeof issuing, SQLWrapper>;

const live = alias(pats, "live");

// The issuing statement itself checks the limit, so at most 50 tokens are live after any number of parallel requests.
const isBelowLimit = (p: Issuing) =>
  sql`(select count(*) from ${tableReference(live)} where ${live.company_id} = ${p.companyId} and ${live.user_id} = ${p.userId}
    and ${isLive(live, p.now)}) < ${MAX_LIVE}`;

// Checks holder and credential again inside the statement, because they may have changed since the request was authorized.
const canIssue = (p: Issuing) => sql`exists (select 1 from ${memberships}
    join ${users} on ${users.id} = ${memberships.user_id} join ${companies} on ${companies.id} = ${memberships.company_id}
    where ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${p.userId}
      and ${isAllowed()} and ${users.is_active} = 1 and ${companies.is_active} = 1)
  and (${p.sid} is null
    or exists (select 1 from ${sessions} where ${sessions.id} = ${p.sid} and ${sessions.revoked_at} is null))
  and (${p.callerId} is null or exists (select 1 from ${tableReference(parent)}
    where ${parent.id} = ${p.callerId} and ${parent.jti} = ${p.callerJti} and ${isLive(parent, p.now)}))`;

/**
 * Inserts a token, unless the holder has 50 live tokens or the caller's credential has ended. If the caller used a token,
 * that token becomes the parent. Also stores which user set the global metrics flag.
 */
export const insertPat = statement(
  {
    ...issuing,
    id: pats.id,
    jti: pats.jti,
    name: pats.name,
    readOnly: pats.read_only,
    flag: pats.access_global_metrics,
    end: pats.expires_at,
  },
  (p) =>
    insertSelect(
      pats,
      {
        id: p.id,
        company_id: p.companyId,
        user_id: p.userId,
        created_at: p.now,
        parent_id: p.callerId,
        jti: p.jti,
        name: p.name,
        read_only: p.readOnly,
        access_global_metrics: p.flag,
        agm_set_by: sql`case when ${p.flag} then ${p.userId} end`,
        expires_at: p.end,
      },
      sql`where ${and(isBelowLimit(p), canIssue(p))} on conflict do nothing`,
    ),
);

// Returns the subquery with the ids of the token and of all tokens created with it, at any depth.
const descendantsOf = (id: SQLWrapper) => {
  const child = alias(pats, "child");
  return sql`(with recursive descendants (id) as (select ${id} union
    select ${child.id} from descendants join ${tableReference(child)} on ${child.parent_id} = descendants.id) select id from descendants)`;
};

/**
 * Gives a token a new `jti` and a new expiry, which invalidates its previous JWT. The tokens created with it expire at the
 * new expiry at the latest. Changes nothing for a revoked token, and nothing for an expired token when the holder has 50 live
 * tokens.
 */
export const reissuePat = statement({ ...issuing, id: pats.id, jti: pats.jti, end: pats.expires_at }, (p) => {
  const reissued = alias(pats, "reissued");
  const isReissuable = sql`exists (select 1 from ${tableReference(reissued)} where ${reissued.id} = ${p.id} and ${reissued.company_id} = ${p.companyId}
    and ${reissued.user_id} = ${p.userId} and ${reissued.revoked_at} is null and (${reissued.expires_at} > ${p.now} or ${isBelowLimit(p)}))`;
  return queryBuilder
    .update(pats)
    .set({
      jti: sql`case ${pats.id} when ${p.id} then ${p.jti} else ${pats.jti} end`,
      expires_at: sql`case ${pats.id} when ${p.id} then ${p.end} else min(${pats.expires_at}, ${p.end}) end`,
    })
    .where(and(inArray(pats.id, descendantsOf(p.id)), canIssue(p), isReissuable));
});

/** Revokes a token and every token created with it. */
export const revokePat = statement({ id: pats.id, now: integer }, (p) =>
  queryBuilder
    .update(pats)
    .set({ revoked_at: p.now })
    .where(and(isNull(pats.revoked_at), inArray(pats.id, descendantsOf(p.id)))),
);

/** Updates the columns whose parameter is not null. Also stores which user set the global metrics flag. */
export const changePat = statement(
  {
    id: pats.id,
    name: nullable(pats.name),
    flag: nullable(pats.access_global_metrics),
    staffId: users.id,
  },
  (p) =>
    queryBuilder
      .update(pats)
      .set({
        name: sql`coalesce(${p.name}, ${pats.name})`,
        access_global_metrics: sql`coalesce(${p.flag}, ${pats.access_global_metrics})`,
        agm_set_by: sql`case ${p.flag} when 1 then ${p.staffId} when 0 then null else ${pats.agm_set_by} end`,
      })
      .where(eq(pats.id, p.id)),
);

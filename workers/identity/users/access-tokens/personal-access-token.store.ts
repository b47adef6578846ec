import { and, desc, eq, gt, inArray, isNull, type SQLWrapper, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias } from "drizzle-orm/sqlite-core";
import { isAllowed } from "../../../../db/identity/membership";
import {
  companies,
  memberships,
  type PatRow,
  personal_access_tokens as pats,
  sessions,
  users,
} from "../../../../db/identity/schema";
import { integer, nullable } from "../../../kit/db/kind";
import { all, from, insertSelect, q, rows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { WALKED_ROWS } from "../../../kit/db/walk";

/** Tokens of a user in a company that may live at a time. */
export const MAX_LIVE = 50;

/** A token with the end of the one that made it: null when none did, 0 when that one is purged. */
export type PatWithParentRow = PatRow & { parent_expires_at: number | null };

const parent = alias(pats, "p");

/** The token, of any company. */
export const findPat = statement({ id: pats.id }, (p) =>
  q
    .select({
      ...all(pats),
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
const ofHolder = (p: { companyId: SQLWrapper; userId: SQLWrapper }) =>
  and(eq(pats.company_id, p.companyId), eq(pats.user_id, p.userId));
const count = { count: sql`count(*)`.mapWith(integer) };

const isLive = (t: { revoked_at: AnySQLiteColumn; expires_at: AnySQLiteColumn }, now: SQLWrapper) =>
  and(isNull(t.revoked_at), gt(t.expires_at, now));

const position = { time: pats.created_at, before: pats.id };

/** The user's tokens, newest first, made before that one. */
export const listPats = statement({ ...holder, ...position, limit: integer, offset: integer }, (p) =>
  q
    .select(all(pats))
    .from(pats)
    .where(and(ofHolder(p), sql`(${pats.created_at}, ${pats.id}) < (${p.time}, ${p.before})`))
    .orderBy(desc(pats.created_at), desc(pats.id))
    .limit(p.limit)
    .offset(p.offset),
);

/** How many tokens that list has, or as many as a list looks at. */
export const countPats = statement(holder, (p) =>
  rows(
    count,
    (columns) => sql`select ${columns} from (select 1 from ${pats} where ${ofHolder(p)} limit ${WALKED_ROWS})`,
  ),
);

/** How many of them are live. */
export const countLivePats = statement({ ...holder, now: integer }, (p) =>
  q
    .select(count)
    .from(pats)
    .where(and(ofHolder(p), isLive(pats, p.now))),
);

/** A call that issues: holder, now, and the credential it came with, a session or a token with its jti. */
const issuing = {
  ...holder,
  now: integer,
  sid: nullable(sessions.id),
  callerId: nullable(pats.id),
  callerJti: nullable(pats.jti),
};
type Issuing = Record<keyof typeof issuing, SQLWrapper>;

const live = alias(pats, "l");

// Asked inside the statement that issues: of any number of parallel calls, 50 tokens live.
const isBelowLimit = (p: Issuing) =>
  sql`(select count(*) from ${from(live)} where ${live.company_id} = ${p.companyId} and ${live.user_id} = ${p.userId}
    and ${isLive(live, p.now)}) < ${MAX_LIVE}`;

// The holder and the credential of the call as they are now, not as the check before found them.
const mayIssue = (p: Issuing) => sql`exists (select 1 from ${memberships}
    join ${users} on ${users.id} = ${memberships.user_id} join ${companies} on ${companies.id} = ${memberships.company_id}
    where ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${p.userId}
      and ${isAllowed()} and ${users.is_active} = 1 and ${companies.is_active} = 1)
  and (${p.sid} is null
    or exists (select 1 from ${sessions} where ${sessions.id} = ${p.sid} and ${sessions.revoked_at} is null))
  and (${p.callerId} is null or exists (select 1 from ${from(parent)}
    where ${parent.id} = ${p.callerId} and ${parent.jti} = ${p.callerJti} and ${isLive(parent, p.now)}))`;

/**
 * A new token, unless 50 live or the caller's own credential has ended; its parent is the token of the call. A raised flag
 * remembers who raised it.
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
      sql`where ${and(isBelowLimit(p), mayIssue(p))} on conflict do nothing`,
    ),
);

// The token and every one that was made by it, at any depth.
const made = (id: SQLWrapper) => {
  const child = alias(pats, "t");
  return sql`(with recursive made (id) as (select ${id} union
    select ${child.id} from made join ${from(child)} on ${child.parent_id} = made.id) select id from made)`;
};

/**
 * Issues a token again, so that the older JWT ends; no token made with it outlives the new end. Nothing changes for a
 * revoked one, nor for one that is over when 50 others live.
 */
export const reissuePat = statement({ ...issuing, id: pats.id, jti: pats.jti, end: pats.expires_at }, (p) => {
  const own = alias(pats, "o");
  const isOwn = sql`exists (select 1 from ${from(own)} where ${own.id} = ${p.id} and ${own.company_id} = ${p.companyId}
    and ${own.user_id} = ${p.userId} and ${own.revoked_at} is null and (${own.expires_at} > ${p.now} or ${isBelowLimit(p)}))`;
  return q
    .update(pats)
    .set({
      jti: sql`case ${pats.id} when ${p.id} then ${p.jti} else ${pats.jti} end`,
      expires_at: sql`case ${pats.id} when ${p.id} then ${p.end} else min(${pats.expires_at}, ${p.end}) end`,
    })
    .where(and(inArray(pats.id, made(p.id)), mayIssue(p), isOwn));
});

/** Ends a token and every one made with it, at once. */
export const revokePat = statement({ id: pats.id, now: integer }, (p) =>
  q
    .update(pats)
    .set({ revoked_at: p.now })
    .where(and(isNull(pats.revoked_at), inArray(pats.id, made(p.id)))),
);

/** Changes what is not null; a raised flag remembers who raised it. */
export const changePat = statement(
  {
    id: pats.id,
    name: nullable(pats.name),
    flag: nullable(pats.access_global_metrics),
    staffId: users.id,
  },
  (p) =>
    q
      .update(pats)
      .set({
        name: sql`coalesce(${p.name}, ${pats.name})`,
        access_global_metrics: sql`coalesce(${p.flag}, ${pats.access_global_metrics})`,
        agm_set_by: sql`case ${p.flag} when 1 then ${p.staffId} when 0 then null else ${pats.agm_set_by} end`,
      })
      .where(eq(pats.id, p.id)),
);

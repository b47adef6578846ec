import { and, eq, gt, isNull, ne, or, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isStaffJson } from "../../../../db/identity/conditions/event";
import { isUnseenSince } from "../../../../db/identity/conditions/membership";
import { isAllowedMember, isCompanyActive, isUserActive } from "../../../../db/identity/conditions/write-checks";
import { event_log, memberships, sessions, users } from "../../../../db/identity/schema";
import { integer, nullable } from "../../../kit/db/kind";
import { insertSelect, queryBuilder, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, user_id, company_id, counter, rotated_at, idle_expires_at, absolute_expires_at, revoked_at } = sessions;

/** Returns the condition that the session is neither revoked nor expired. */
const isLive = (now: SQLWrapper) => and(isNull(revoked_at), gt(idle_expires_at, now), gt(absolute_expires_at, now));

/**
 * Rotates the refresh token. Of several parallel requests with the same counter, only the first succeeds. Checks the same
 * conditions as the authentication of an access token.
 */
export const rotateSession = statement(
  { sid: id, counter, now: integer, idleMs: integer, companyId: nullable(company_id) },
  (p) =>
    queryBuilder
      .update(sessions)
      .set({
        counter: sql`${counter} + 1`,
        rotated_at: p.now,
        idle_expires_at: sql`min(${p.now} + ${p.idleMs}, ${absolute_expires_at})`,
      })
      .where(
        and(
          eq(id, p.sid),
          eq(counter, p.counter),
          or(isNull(p.companyId), eq(company_id, p.companyId)),
          isLive(p.now),
          isUserActive(user_id),
          isCompanyActive(company_id),
          isAllowedMember(company_id, user_id),
        ),
      )
      .returning({ counter }),
);

/** Revokes a session if a rotated refresh token is used again after the grace period. */
export const revokeReusedSession = statement({ sid: id, counter, now: integer, graceMs: integer }, (p) =>
  queryBuilder
    .update(sessions)
    .set({ revoked_at: p.now, revoke_reason: "refresh_token_reused" })
    .where(
      and(
        eq(id, p.sid),
        isLive(p.now),
        or(
          sql`${counter} > ${p.counter} + 1`,
          sql`(${counter} = ${p.counter} + 1 and ${rotated_at} + ${p.graceMs} < ${p.now})`,
        ),
      ),
    )
    .returning({ id }),
);

/**
 * Inserts the event about a reused refresh token, with the client that sent it. Must run directly after the statement that
 * revokes the session. Inserts nothing if that statement changed no row, so each session gets one event.
 */
export const insertReuseEvent = statement(
  {
    sid: id,
    eventId: event_log.id,
    now: integer,
    data: event_log.data,
    country: event_log.country,
    city: event_log.city,
  },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.eventId,
        company_id,
        event_type: "identity.auth.session.reuse_detected",
        user_id: users.id,
        user_email: users.email,
        data: sql`json_set(${p.data}, '$.provider', ${sessions.provider},
          '$.is_staff_at_event', ${isStaffJson})`,
        outcome: "failure",
        provider: sessions.provider,
        is_staff_at_event: users.is_staff,
        country: p.country,
        city: p.city,
        created_at: p.now,
      },
      sql`from ${sessions} join ${users} on ${users.id} = ${user_id} where changes() > 0 and ${id} = ${p.sid}
        on conflict do nothing`,
    ),
);

/**
 * Records when the user was last seen, if the same batch rotated the session. Does nothing when the user was already seen
 * since `today` (unix ms).
 */
export const touchMembership = statement({ sid: id, now: integer, today: integer }, (p) =>
  queryBuilder
    .update(memberships)
    .set({ last_seen_at: p.now })
    .where(
      and(
        isUnseenSince(p.today),
        sql`(${memberships.company_id}, ${memberships.user_id}) = (select ${company_id}, ${user_id} from ${sessions}
          where ${id} = ${p.sid} and ${revoked_at} is null and ${rotated_at} = ${p.now})`,
      ),
    ),
);

const revocation = { now: integer, reason: sessions.revoke_reason };

/** Revokes one session of the user. */
export const revokeSession = statement({ sid: id, userId: user_id, ...revocation }, (p) =>
  queryBuilder
    .update(sessions)
    .set({ revoked_at: p.now, revoke_reason: p.reason })
    .where(and(eq(id, p.sid), eq(user_id, p.userId), isNull(revoked_at))),
);

/** Revokes all sessions of the user in the company. */
export const revokeSessionsOfUser = statement({ companyId: company_id, userId: user_id, ...revocation }, (p) =>
  queryBuilder
    .update(sessions)
    .set({ revoked_at: p.now, revoke_reason: p.reason })
    .where(and(eq(user_id, p.userId), eq(company_id, p.companyId), isNull(revoked_at))),
);

/** Like revokeSession, but only if the user is no longer a member of `companyId`. */
export const revokeSessionOfFormerMember = statement(
  { sid: id, userId: user_id, ...revocation, companyId: memberships.company_id },
  (p) =>
    queryBuilder
      .update(sessions)
      .set({ revoked_at: p.now, revoke_reason: p.reason })
      .where(
        and(
          eq(id, p.sid),
          eq(user_id, p.userId),
          isNull(revoked_at),
          sql`not exists (select 1 from ${memberships} where ${memberships.company_id} = ${p.companyId}
            and ${memberships.user_id} = ${p.userId})`,
        ),
      ),
);

const current = alias(sessions, "current");

/** Revokes the user's other sessions in the company of the session `sid`, if that session is live. */
export const revokeOtherSessions = statement({ sid: id, ...revocation }, (p) => {
  const owner = sql`select ${current.user_id}, ${current.company_id} from ${tableReference(current)} where ${current.id} = ${p.sid}
    and ${current.revoked_at} is null and ${current.idle_expires_at} > ${p.now} and ${current.absolute_expires_at} > ${p.now}`;
  return queryBuilder
    .update(sessions)
    .set({ revoked_at: p.now, revoke_reason: p.reason })
    .where(and(sql`(${user_id}, ${company_id}) = (${owner})`, ne(id, p.sid), isNull(revoked_at)));
});

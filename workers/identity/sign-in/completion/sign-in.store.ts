import { and, eq, isNull, lt, ne, notLike, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { companyUserColumns, freeUsername, usernameParameters } from "../../../../db/identity/company-user";
import { loginEvent } from "../../../../db/identity/event";
import { isUnseenSince } from "../../../../db/identity/membership";
import { bySource } from "../../../../db/identity/one-time-row";
import {
  auth_codes,
  event_log,
  identities,
  memberships,
  personal_access_tokens,
  preferences,
  sessions,
  users,
} from "../../../../db/identity/schema";
import { integer, nullable, text } from "../../../kit/db/kind";
import { insertSelect, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** The one-time row that a sign-in consumes, and the nonce that consumes it. */
const consumption = { key: text, nonce: text };
type Consumption = Record<keyof typeof consumption, SQLWrapper>;

/**
 * The statements of a sign-in after its one-time row is consumed. `isConsumedBy` holds when `nonce` consumed the row `key`;
 * otherwise every statement changes nothing, so a lost race or a repeated batch adds nothing. `email` is the address of the
 * account.
 */
function signInStatements(isConsumedBy: (p: Consumption) => SQL) {
  const account = { ...consumption, email: users.email };
  const accountAtTime = { ...account, now: integer };
  const unproven = (p: Consumption & { email: SQLWrapper }) =>
    sql`${users.email} = ${p.email} and ${users.email_verified_at} is null and ${isConsumedBy(p)}`;
  const fromAccount = (p: Consumption & { email: SQLWrapper }) =>
    sql`from ${users} where ${users.email} = ${p.email} and ${isConsumedBy(p)}`;
  return {
    /** Creates the account of a new address, with the first free user name. */
    createUser: statement(
      {
        ...accountAtTime,
        ...usernameParameters,
        provenAt: users.email_verified_at,
        firstName: users.first_name,
        lastName: users.last_name,
        avatarUrl: users.avatar_url,
      },
      (p) =>
        insertSelect(
          users,
          {
            email: p.email,
            email_verified_at: p.provenAt,
            username: freeUsername(p),
            first_name: p.firstName,
            last_name: p.lastName,
            avatar_url: p.avatarUrl,
            created_at: p.now,
            updated_at: p.now,
          },
          // A conflict that does nothing would still write the sequence of the ids.
          sql`where ${isConsumedBy(p)} and not exists (select 1 from ${users} where ${users.email} = ${p.email})`,
        ),
    ),
    /**
     * Deletes provider accounts that were linked before the first proof of the address, because their owner never proved it.
     * A generic OpenID identity stays, because it reaches only its own company.
     */
    removeUnprovenIdentities: statement(account, (p) =>
      queryBuilder
        .delete(identities)
        .where(
          and(
            ne(identities.provider, "oidc"),
            eq(identities.email_proven, false),
            sql`${identities.user_id} = (select ${users.id} from ${users} where ${unproven(p)})`,
          ),
        ),
    ),
    /** Revokes the sessions that were opened with such identities. */
    endUnprovenSessions: statement(accountAtTime, (p) =>
      queryBuilder
        .update(sessions)
        .set({ revoked_at: p.now, revoke_reason: "address_proven" })
        .where(
          and(
            sql`${sessions.user_id} = (select ${users.id} from ${users} where ${unproven(p)})`,
            isNull(sessions.revoked_at),
            notLike(sessions.provider, "oidc-%"),
          ),
        ),
    ),
    /** Revokes the tokens created in such sessions; those of a company with an OpenID identity stay. */
    endUnprovenTokens: statement(accountAtTime, (p) => {
      const pats = personal_access_tokens;
      return queryBuilder
        .update(pats)
        .set({ revoked_at: p.now })
        .where(
          and(
            isNull(pats.revoked_at),
            sql`(${pats.company_id}, ${pats.user_id}) in (select ${memberships.company_id}, ${memberships.user_id}
              from ${users} join ${memberships} on ${memberships.user_id} = ${users.id}
              where ${unproven(p)} and not exists (select 1 from ${identities}
                where ${identities.user_id} = ${users.id} and ${identities.company_id} = ${memberships.company_id}))`,
          ),
        );
    }),
    /**
     * Stores the latest proof of the address, once a day (`today`: its start, unix ms). Only the first proof changes
     * `updated_at`.
     */
    proveAddress: statement({ ...accountAtTime, today: integer }, (p) =>
      queryBuilder
        .update(users)
        .set({
          email_verified_at: p.now,
          updated_at: sql`case when ${users.email_verified_at} is null then ${p.now} else ${users.updated_at} end`,
        })
        .where(
          and(
            eq(users.email, p.email),
            or(isNull(users.email_verified_at), lt(users.email_verified_at, p.today)),
            isConsumedBy(p),
          ),
        ),
    ),
    /** Records that an allowed member was seen, once a day. */
    recordLastSeen: statement(
      { ...consumption, companyId: memberships.company_id, userId: memberships.user_id, now: integer, today: integer },
      (p) =>
        queryBuilder
          .update(memberships)
          .set({ last_seen_at: p.now })
          .where(
            and(
              eq(memberships.company_id, p.companyId),
              eq(memberships.user_id, p.userId),
              isUnseenSince(p.today),
              isConsumedBy(p),
            ),
          ),
    ),
    createSession: statement(
      {
        ...accountAtTime,
        companyId: sessions.company_id,
        provider: sessions.provider,
        sid: sessions.id,
        idleEnd: sessions.idle_expires_at,
        hardEnd: sessions.absolute_expires_at,
        country: sessions.country,
        userAgent: sessions.user_agent,
        device: nullable(sessions.device),
      },
      (p) =>
        insertSelect(
          sessions,
          {
            id: p.sid,
            user_id: users.id,
            company_id: p.companyId,
            provider: p.provider,
            auth_time: p.now,
            rotated_at: p.now,
            idle_expires_at: p.idleEnd,
            absolute_expires_at: p.hardEnd,
            country: p.country,
            user_agent: p.userAgent,
            device: p.device,
            created_at: p.now,
          },
          sql`${fromAccount(p)} on conflict do nothing`,
        ),
    ),
    createCode: statement(
      {
        ...accountAtTime,
        companyId: auth_codes.company_id,
        provider: auth_codes.provider,
        codeHash: auth_codes.code_hash,
        context: auth_codes.client_context,
        expiresAt: auth_codes.expires_at,
        redirectTo: auth_codes.redirect_to,
        redirectKey: auth_codes.redirect_key,
        challenge: auth_codes.code_challenge,
      },
      (p) =>
        insertSelect(
          auth_codes,
          {
            code_hash: p.codeHash,
            user_id: users.id,
            company_id: p.companyId,
            provider: p.provider,
            redirect_to: p.redirectTo,
            redirect_key: p.redirectKey,
            code_challenge: p.challenge,
            auth_time: p.now,
            client_context: p.context,
            created_at: p.now,
            expires_at: p.expiresAt,
          },
          sql`${fromAccount(p)} on conflict do nothing`,
        ),
    ),
    /** The user after the batch, for the token payload; no row when the race was lost. */
    findCompanyUser: statement({ ...account, companyId: memberships.company_id }, (p) =>
      queryBuilder
        .select(companyUserColumns)
        .from(users)
        .leftJoin(memberships, and(eq(memberships.company_id, p.companyId), eq(memberships.user_id, users.id)))
        .leftJoin(preferences, eq(preferences.user_id, users.id))
        .where(and(eq(users.email, p.email), isConsumedBy(p))),
    ),
  };
}

/** The statements of each method: `key` is the id of the request, or the hash of the state. */
export const signInBy = bySource(signInStatements);

/** Inserts the login event of a new session, in the same batch. */
export const insertLoginEvent = statement(
  {
    sid: sessions.id,
    eventId: event_log.id,
    data: event_log.data,
    country: event_log.country,
    city: event_log.city,
    timezone: event_log.timezone,
    now: integer,
  },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.eventId,
        ...loginEvent(p.data),
        country: p.country,
        city: p.city,
        timezone: p.timezone,
        created_at: p.now,
      },
      sql`from ${sessions} join ${users} on ${users.id} = ${sessions.user_id} where ${sessions.id} = ${p.sid}
        on conflict do nothing`,
    ),
);

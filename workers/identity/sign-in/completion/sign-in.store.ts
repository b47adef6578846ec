import { and, eq, isNull, lt, ne, notLike, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { companyUserColumns, freeUsername, usernameParameters } from "../../../../db/identity/conditions/company-user";
import { loginEvent } from "../../../../db/identity/conditions/event";
import { isUnseenSince } from "../../../../db/identity/conditions/membership";
import { bySource } from "../../../../db/identity/conditions/one-time-row";
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
 * Returns the statements of a sign-in that run after its one-time row is consumed. `isConsumedBy` is true when `nonce`
 * consumed the row `key`. Otherwise every statement changes nothing, so a lost race or a repeated batch adds nothing. `email`
 * is the address of the account.
 */
function signInStatements(isConsumedBy: (p: Consumption) => SQL) {
  const account = { ...consumption, email: users.email };
  const accountAtTime = { ...account, now: integer };
  const unproven = (p: Consumption & { email: SQLWrapper }) =>
    sql`${users.email} = ${p.email} and ${users.email_verified_at} is null and ${isConsumedBy(p)}`;
  const fromAccount = (p: Consumption & { email: SQLWrapper }) =>
    sql`from ${users} where ${users.email} = ${p.email} and ${isConsumedBy(p)}`;
  return {
    /** Inserts an account for a new address, with the first free username. */
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
          // `on conflict do nothing` would still write the sequence of the table's ids, so this checks for the account
          // itself.
          sql`where ${isConsumedBy(p)} and not exists (select 1 from ${users} where ${users.email} = ${p.email})`,
        ),
    ),
    /**
     * Deletes the provider identities that were linked before the first proof of the address, because their owner never
     * proved it. Keeps identities of a generic OpenID provider, because these give access to the provider's own company only.
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
    /** Revokes the sessions that may have been opened with the deleted identities. */
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
    /**
     * Revokes the personal access tokens that may have been created in the revoked sessions. Keeps the tokens in companies
     * for which the account has an OpenID identity.
     */
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
     * Stores the time of the latest proof of the address, at most once a day. `today` is the start of the day (unix ms). Only
     * the first proof changes `updated_at`.
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
    /** Records when an allowed member was last seen, at most once a day. */
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
    /**
     * Selects the user after the changes, for the token payload. Returns no row when another request consumed the one-time
     * row.
     */
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

/** The sign-in statements of each method. `key` is the id of the sign-in request, or the hash of the OAuth state. */
export const signInBy = bySource(signInStatements);

/** Inserts the login event of a session in the batch that creates the session. */
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

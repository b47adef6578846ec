import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { companyUserColumns } from "../../../../db/identity/conditions/company-user";
import { loginEvent } from "../../../../db/identity/conditions/event";
import {
  isAllowedMember,
  isCompanyActive,
  isListedOrigin,
  isUserActive,
} from "../../../../db/identity/conditions/write-checks";
import {
  auth_codes,
  companies,
  event_log,
  memberships,
  oauth_redirects,
  preferences,
  sessions,
  users,
} from "../../../../db/identity/schema";
import { boolean, integer, nullable } from "../../../kit/db/kind";
import { insertSelect, queryBuilder } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const { code_hash, company_id, user_id, redeem_nonce, client_context } = auth_codes;

/**
 * Redeems a code once. `companyId` is null when the request names no company. `challenge` is derived from the presented
 * verifier. `origin` must be on the allowlist; it is null for a redirect target that needs no allowlist row.
 */
export const redeemAuthCode = statement(
  {
    codeHash: code_hash,
    now: integer,
    nonce: redeem_nonce,
    companyId: nullable(company_id),
    redirectKey: auth_codes.redirect_key,
    challenge: auth_codes.code_challenge,
    origin: nullable(oauth_redirects.base_url),
  },
  (p) =>
    queryBuilder
      .update(auth_codes)
      .set({ redeemed_at: p.now, redeem_nonce: p.nonce })
      .where(
        and(
          eq(code_hash, p.codeHash),
          isNull(auth_codes.redeemed_at),
          gt(auth_codes.expires_at, p.now),
          or(isNull(p.companyId), eq(company_id, p.companyId)),
          eq(auth_codes.redirect_key, p.redirectKey),
          or(isNull(auth_codes.code_challenge), eq(auth_codes.code_challenge, p.challenge)),
          or(isNull(p.origin), isListedOrigin(company_id, p.origin)),
          isUserActive(user_id),
          isCompanyActive(company_id),
          isAllowedMember(company_id, user_id),
        ),
      ),
);

/** Inserts the session of a redeemed code. */
export const createRedeemedSession = statement(
  {
    codeHash: code_hash,
    now: integer,
    nonce: redeem_nonce,
    sid: sessions.id,
    idleEnd: sessions.idle_expires_at,
    hardEnd: sessions.absolute_expires_at,
    country: sessions.country,
    userAgent: sessions.user_agent,
  },
  (p) =>
    insertSelect(
      sessions,
      {
        id: p.sid,
        user_id,
        company_id,
        provider: auth_codes.provider,
        auth_time: auth_codes.auth_time,
        rotated_at: p.now,
        idle_expires_at: p.idleEnd,
        absolute_expires_at: p.hardEnd,
        country: p.country,
        user_agent: p.userAgent,
        device: sql`${client_context} ->> '$.client_device'`,
        created_at: p.now,
      },
      sql`from ${auth_codes} where ${code_hash} = ${p.codeHash} and ${redeem_nonce} = ${p.nonce} on conflict do nothing`,
    ),
);

/** Selects the code with its user, for the token payload or to find the reason of a rejection. */
export const findUserOfCode = statement({ codeHash: code_hash, origin: oauth_redirects.base_url }, (p) =>
  queryBuilder
    .select({
      company_id,
      provider: auth_codes.provider,
      auth_time: auth_codes.auth_time,
      redirect_key: auth_codes.redirect_key,
      code_challenge: auth_codes.code_challenge,
      expires_at: auth_codes.expires_at,
      redeemed_at: auth_codes.redeemed_at,
      redeem_nonce,
      client_context,
      company_active: companies.is_active,
      notify_new_device: companies.notify_new_device,
      is_listed: isListedOrigin(company_id, p.origin).mapWith(boolean),
      ...companyUserColumns,
    })
    .from(auth_codes)
    .innerJoin(users, eq(users.id, user_id))
    .innerJoin(companies, eq(companies.id, company_id))
    .leftJoin(memberships, and(eq(memberships.company_id, company_id), eq(memberships.user_id, user_id)))
    .leftJoin(preferences, eq(preferences.user_id, user_id))
    .where(eq(code_hash, p.codeHash)),
);

export type CodeUserRow = RowOfStatement<typeof findUserOfCode>;

/** Inserts the login event of a redeemed code, with the audit data of the sign-in that created the code. */
export const insertRedeemedLoginEvent = statement(
  { sid: sessions.id, eventId: event_log.id, codeHash: code_hash, now: integer },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.eventId,
        ...loginEvent(client_context),
        country: sql`${client_context} ->> '$.client_country'`,
        city: sql`${client_context} ->> '$.client_city'`,
        timezone: sql`${client_context} ->> '$.client_timezone'`,
        created_at: p.now,
      },
      sql`from ${sessions} join ${users} on ${users.id} = ${sessions.user_id}
        join ${auth_codes} on ${code_hash} = ${p.codeHash} where ${sessions.id} = ${p.sid} on conflict do nothing`,
    ),
);

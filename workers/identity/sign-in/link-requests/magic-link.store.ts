import { and, eq, gt, isNull, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { companyUserColumns } from "../../../../db/identity/conditions/company-user";
import { canJoin } from "../../../../db/identity/conditions/invitations";
import { isAllowed } from "../../../../db/identity/conditions/membership";
import {
  companies,
  invitations,
  memberships,
  oauth_redirects,
  preferences,
  sign_in_requests,
  users,
} from "../../../../db/identity/schema";
import { boolean, integer, nullable } from "../../../kit/db/kind";
import { allColumns, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** Maximum number of code attempts for a request. */
export const MAX_CODE_TRIES = 5;

const requests = sign_in_requests;
const { id, company_id, email, token_hash, expires_at, consumed_at } = requests;

/**
 * Inserts a request for a link, and for a typed code if `codeHash` is not null. The mail of the request is inserted with the
 * lease `mailLease`, which ends at `mailLeaseEnd` (unix ms), for the first attempt.
 */
export const insertSignInRequest = statement(
  {
    id,
    companyId: company_id,
    userId: requests.user_id,
    email,
    tokenHash: token_hash,
    codeHash: requests.code_hash,
    redirectTo: requests.redirect_to,
    tokenDelivery: requests.token_delivery,
    codeChallenge: requests.code_challenge,
    language: requests.language,
    clientTimezone: requests.client_timezone,
    deviceHash: requests.device_hash,
    requestingBrowser: nullable(requests.asked_from),
    now: requests.created_at,
    expiresAt: expires_at,
    mail: requests.mail_sealed,
    mailLease: requests.mail_lease,
    mailLeaseEnd: requests.mail_locked_until,
    mailDeadline: requests.mail_deadline_at,
    mailRequestId: requests.mail_request_id,
  },
  (p) =>
    queryBuilder
      .insert(requests)
      .values({
        id: p.id,
        company_id: p.companyId,
        user_id: p.userId,
        email: p.email,
        token_hash: p.tokenHash,
        code_hash: p.codeHash,
        redirect_to: p.redirectTo,
        token_delivery: p.tokenDelivery,
        code_challenge: p.codeChallenge,
        language: p.language,
        client_timezone: p.clientTimezone,
        device_hash: p.deviceHash,
        asked_from: p.requestingBrowser,
        created_at: p.now,
        expires_at: p.expiresAt,
        mail_sealed: p.mail,
        mail_state: sql`iif(${p.mail} is null, null, 'waiting')`,
        mail_attempts: 1,
        mail_next_at: p.now,
        mail_locked_until: p.mailLeaseEnd,
        mail_lease: p.mailLease,
        mail_deadline_at: p.mailDeadline,
        mail_request_id: p.mailRequestId,
      })
      .onConflictDoNothing(),
);

const link = { companyId: company_id, tokenHash: token_hash };
const isLink = (p: Record<keyof typeof link, SQLWrapper>) =>
  and(eq(token_hash, p.tokenHash), eq(company_id, p.companyId));

/** Selects the request of a link, live or not. */
export const findSignInRequest = statement(link, (p) =>
  queryBuilder.select(allColumns(requests)).from(requests).where(isLink(p)),
);

/** Selects the user to whose address a link was sent. */
export const findUserOfRequest = statement(link, (p) =>
  queryBuilder
    .select(companyUserColumns)
    .from(requests)
    .innerJoin(users, eq(users.email, email))
    .leftJoin(memberships, and(eq(memberships.company_id, p.companyId), eq(memberships.user_id, users.id)))
    .leftJoin(preferences, eq(preferences.user_id, users.id))
    .where(isLink(p)),
);

/** Selects the active allowlist origins that the link's redirect target starts with. */
export const findOriginsOfRequest = statement(link, (p) =>
  queryBuilder
    .select({ base_url: oauth_redirects.base_url })
    .from(requests)
    .innerJoin(oauth_redirects, and(eq(oauth_redirects.company_id, company_id), eq(oauth_redirects.is_active, true)))
    .where(and(isLink(p), sql`instr(${requests.redirect_to}, ${oauth_redirects.base_url}) = 1`)),
);

/** Selects the active allowlist origins that the redirect targets of an email address's live requests start with. */
export const findOriginsOfAddress = statement({ companyId: company_id, email, now: integer }, (p) =>
  queryBuilder
    .selectDistinct({ base_url: oauth_redirects.base_url })
    .from(requests)
    .innerJoin(oauth_redirects, and(eq(oauth_redirects.company_id, company_id), eq(oauth_redirects.is_active, true)))
    .where(
      and(
        ...[eq(company_id, p.companyId), eq(email, p.email), gt(expires_at, p.now), isNull(consumed_at)],
        sql`instr(${requests.redirect_to}, ${oauth_redirects.base_url}) = 1`,
      ),
    ),
);

/** Returns the condition that the company is active and has sign-in by link enabled. */
const hasLinks = (companyId: SQLWrapper) =>
  sql`exists (select 1 from ${companies} where ${companies.id} = ${companyId} and ${companies.is_active} = 1
    and ${companies.enable_magic_link} = 1)`;

/**
 * Counts a code attempt on every live request of the address that has attempts left, and returns these rows. Returns no rows
 * when sign-in by link is disabled in the company or the deployment.
 */
export const countCodeTry = statement({ companyId: company_id, email, now: integer, linksEnabled: boolean }, (p) =>
  queryBuilder
    .update(requests)
    .set({ code_tries: sql`${requests.code_tries} + 1` })
    .where(
      and(
        eq(company_id, p.companyId),
        eq(email, p.email),
        gt(expires_at, p.now),
        isNull(consumed_at),
        lt(requests.code_tries, MAX_CODE_TRIES),
        p.linksEnabled,
        hasLinks(p.companyId),
      ),
    )
    .returning(allColumns(requests)),
);

const consumption = { id, companyId: company_id, email, now: integer, nonce: requests.consume_nonce };
const joining = { ...consumption, invitationId: nullable(invitations.id), wasMember: boolean };

/**
 * Consumes the request if it is live and the `conditions` are true. The caller has checked them before, on rows that may have
 * changed since.
 */
const consume = (p: { [K in keyof typeof consumption]: SQL }, ...conditions: SQL[]) =>
  queryBuilder
    .update(requests)
    .set({ consumed_at: p.now, consume_nonce: p.nonce })
    .where(
      and(
        ...[eq(id, p.id), eq(company_id, p.companyId), isNull(consumed_at), gt(expires_at, p.now)],
        hasLinks(p.companyId),
        ...conditions,
      ),
    );

const membershipOf = (p: { companyId: SQL }) =>
  sql`${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}`;

/**
 * Consumes the request. `invitationId` is the invitation that the sign-in accepts, or null. `wasMember` is true when the
 * decision was based on an allowed membership. Checks the access decision again,
 * so that a user, member, invitation or company that was disabled after the read is rejected.
 */
export const consumeSignInRequest = statement(joining, (p) =>
  consume(
    p,
    sql`not exists (select 1 from ${users} where ${users.email} = ${p.email} and ${users.is_active} = 0)`,
    canJoin(p),
  ),
);

/**
 * Like consumeSignInRequest, but only if the email address is the verified address of an active account that is an allowed
 * member.
 */
export const consumeRequestOfVerifiedMember = statement(consumption, (p) =>
  consume(
    p,
    sql`exists (select 1 from ${users} join ${membershipOf(p)}
      where ${users.email} = ${p.email} and ${users.is_active} = 1 and ${users.email_verified_at} is not null
        and ${isAllowed()})`,
  ),
);

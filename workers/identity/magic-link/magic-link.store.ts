import { and, eq, gt, isNull, lt, type SQLWrapper, sql } from "drizzle-orm";
import { addToCounter } from "../../../db/identity/event";
import { personColumns } from "../../../db/identity/person";
import {
  companies,
  counters,
  event_log,
  memberships,
  oauth_redirects,
  preferences,
  sign_in_requests,
  users,
} from "../../../db/identity/schema";
import { boolean, integer } from "../../kit/db/kind";
import { all, insertSelect, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

/** Wrong codes that a request stands. */
const MAX_CODE_TRIES = 5;

const requests = sign_in_requests;
const { id, company_id, email, token_hash, expires_at, consumed_at } = requests;

/** A request for a link, and for a typed code when it has the hash of one. */
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
    now: requests.created_at,
    expiresAt: expires_at,
  },
  (p) =>
    q
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
        created_at: p.now,
        expires_at: p.expiresAt,
      })
      .onConflictDoNothing(),
);

/** Adds 1 to a total of the company, once per event row that is written after it. */
export const countRequest = statement(
  { companyId: counters.company_id, name: counters.name, eventId: event_log.id },
  (p) =>
    insertSelect(
      counters,
      { company_id: p.companyId, name: p.name, label: "", value: 1 },
      sql`where not exists (select 1 from ${event_log} where ${event_log.company_id} = ${p.companyId}
        and ${event_log.id} = ${p.eventId}) ${addToCounter}`,
    ),
);

const link = { companyId: company_id, tokenHash: token_hash };
const isLink = (p: Record<keyof typeof link, SQLWrapper>) =>
  and(eq(token_hash, p.tokenHash), eq(company_id, p.companyId));

/** The request of a link, live or not. */
export const findSignInRequest = statement(link, (p) => q.select(all(requests)).from(requests).where(isLink(p)));

/** The person whom a link addresses. */
export const findPersonOfRequest = statement(link, (p) =>
  q
    .select(personColumns)
    .from(requests)
    .innerJoin(users, eq(users.email, email))
    .leftJoin(memberships, and(eq(memberships.company_id, p.companyId), eq(memberships.user_id, users.id)))
    .leftJoin(preferences, eq(preferences.user_id, users.id))
    .where(isLink(p)),
);

/** Active origins of the allowlist that the link's redirect begins with. */
export const findOriginsOfRequest = statement(link, (p) =>
  q
    .select({ base_url: oauth_redirects.base_url })
    .from(requests)
    .innerJoin(oauth_redirects, and(eq(oauth_redirects.company_id, company_id), eq(oauth_redirects.is_active, true)))
    .where(and(isLink(p), sql`instr(${requests.redirect_to}, ${oauth_redirects.base_url}) = 1`)),
);

/** Whether a company signs people in by link. */
const hasLinks = (companyId: SQLWrapper) =>
  sql`exists (select 1 from ${companies} where ${companies.id} = ${companyId} and ${companies.is_active} = 1
    and ${companies.enable_magic_link} = 1)`;

/**
 * Counts a try of a typed code on every live request of the address, and answers those rows; none where sign-in by link is
 * off, in the company or in the deployment.
 */
export const countCodeTry = statement({ companyId: company_id, email, now: integer, areLinksOn: boolean }, (p) =>
  q
    .update(requests)
    .set({ code_tries: sql`${requests.code_tries} + 1` })
    .where(
      and(
        eq(company_id, p.companyId),
        eq(email, p.email),
        gt(expires_at, p.now),
        isNull(consumed_at),
        lt(requests.code_tries, MAX_CODE_TRIES),
        p.areLinksOn,
        hasLinks(p.companyId),
      ),
    )
    .returning(all(requests)),
);

/**
 * Spends the request. What was decided on the rows read before is asked again here, so that a disabled member or company
 * cannot slip through between reading and spending.
 */
export const consumeSignInRequest = statement(
  { id, companyId: company_id, email, now: integer, nonce: requests.consume_nonce },
  (p) =>
    q
      .update(requests)
      .set({ consumed_at: p.now, consume_nonce: p.nonce })
      .where(
        and(
          eq(id, p.id),
          eq(company_id, p.companyId),
          isNull(consumed_at),
          gt(expires_at, p.now),
          hasLinks(p.companyId),
          sql`not exists (select 1 from ${users} where ${users.email} = ${p.email} and ${users.is_active} = 0)`,
          sql`not exists (select 1 from ${users}
            join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
            where ${users.email} = ${p.email} and ${memberships.state} <> 'allowed'
              and ${memberships.state_reason} <> 'join_rule')`,
        ),
      ),
);

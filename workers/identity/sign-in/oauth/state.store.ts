import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { canJoin } from "../../../../db/identity/conditions/invitations";
import { isAllowed } from "../../../../db/identity/conditions/membership";
import { isCompanyActive } from "../../../../db/identity/conditions/write-checks";
import {
  companies,
  identities,
  invitations,
  memberships,
  oauth_clients,
  oauth_redirects,
  oauth_states,
  users,
} from "../../../../db/identity/schema";
import { boolean, integer, nullable } from "../../../kit/db/kind";
import { allColumns, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { state_hash, cookie_hash, company_id, client_id, sealed, expires_at, used_at, use_nonce } = oauth_states;

/** Inserts the state of a sign-in before the redirect to its provider. */
export const insertOAuthState = statement(
  {
    stateHash: state_hash,
    cookieHash: cookie_hash,
    companyId: company_id,
    clientId: client_id,
    redirectTo: oauth_states.redirect_to,
    tokenDelivery: oauth_states.token_delivery,
    codeChallenge: oauth_states.code_challenge,
    sealed,
    context: oauth_states.client_context,
    now: oauth_states.created_at,
    expiresAt: expires_at,
  },
  (p) =>
    queryBuilder
      .insert(oauth_states)
      .values({
        state_hash: p.stateHash,
        cookie_hash: p.cookieHash,
        company_id: p.companyId,
        client_id: p.clientId,
        redirect_to: p.redirectTo,
        token_delivery: p.tokenDelivery,
        code_challenge: p.codeChallenge,
        sealed: p.sealed,
        client_context: p.context,
        created_at: p.now,
        expires_at: p.expiresAt,
      })
      .onConflictDoNothing(),
);

/** Consumes a state once, if it is live and presented by the browser that began the sign-in. */
export const claimOAuthState = statement(
  { stateHash: state_hash, cookieHash: cookie_hash, now: integer, nonce: use_nonce },
  (p) =>
    queryBuilder
      .update(oauth_states)
      .set({ used_at: p.now, use_nonce: p.nonce })
      .where(and(eq(state_hash, p.stateHash), eq(cookie_hash, p.cookieHash), isNull(used_at), gt(expires_at, p.now))),
);

/** Selects the state, live or not. */
export const findOAuthState = statement({ stateHash: state_hash }, (p) =>
  queryBuilder.select(allColumns(oauth_states)).from(oauth_states).where(eq(state_hash, p.stateHash)),
);

/** Selects the company of the sign-in. */
export const findCompanyOfState = statement({ stateHash: state_hash }, (p) =>
  queryBuilder
    .select(allColumns(companies))
    .from(oauth_states)
    .innerJoin(companies, eq(companies.id, company_id))
    .where(eq(state_hash, p.stateHash)),
);

/** Selects the client of the sign-in. Returns no row when the client is deleted. */
export const findClientOfState = statement({ stateHash: state_hash }, (p) =>
  queryBuilder
    .select(allColumns(oauth_clients))
    .from(oauth_states)
    .innerJoin(oauth_clients, and(eq(oauth_clients.id, client_id), eq(oauth_clients.company_id, company_id)))
    .where(eq(state_hash, p.stateHash)),
);

/** Selects the active allowlist origins that the redirect target of the state starts with. */
export const findOriginsOfState = statement({ stateHash: state_hash }, (p) =>
  queryBuilder
    .select({ base_url: oauth_redirects.base_url })
    .from(oauth_states)
    .innerJoin(oauth_redirects, and(eq(oauth_redirects.company_id, company_id), eq(oauth_redirects.is_active, true)))
    .where(and(eq(state_hash, p.stateHash), sql`instr(${oauth_states.redirect_to}, ${oauth_redirects.base_url}) = 1`)),
);

/**
 * Stores the values of a form post in a live state. Only the first post succeeds, because `before` must equal the stored
 * value.
 */
export const storeFormPost = statement({ stateHash: state_hash, before: sealed, after: sealed, now: integer }, (p) =>
  queryBuilder
    .update(oauth_states)
    .set({ sealed: p.after })
    .where(and(eq(state_hash, p.stateHash), eq(sealed, p.before), isNull(used_at), gt(expires_at, p.now)))
    .returning({ state_hash }),
);

/**
 * The first statement of a sign-in's batch. Replaces the nonce that claimed the state (`useNonce`) with the nonce of the batch
 * (`nonce`); the later statements have an effect only if the state has it. `userId` is null for a new account. Checks the access
 * decision again: company and client must be active, and the provider's account must belong to no other user. An existing account
 * must be active and still have this address. A staff account must also be an allowed member, and cannot sign in with OpenID
 * Connect. The address must still be allowed to join, through the invitation `invitationId` if it is not null. An account that is
 * to be created must not exist yet.
 */
export const finishOAuthState = statement(
  {
    stateHash: state_hash,
    useNonce: use_nonce,
    nonce: use_nonce,
    email: users.email,
    userId: nullable(users.id),
    invitationId: nullable(invitations.id),
    wasMember: boolean,
    now: integer,
    provider: identities.provider,
    issuer: identities.issuer,
    subject: identities.subject,
    identityCompany: identities.company_id,
  },
  (p) => {
    const isClientActive = sql`exists (select 1 from ${oauth_clients}
      where ${oauth_clients.id} = ${client_id} and ${oauth_clients.is_active} = 1)`;
    const isAccountUnchanged = sql`case
      when ${p.userId} is null then not exists (select 1 from ${users} where ${users.email} = ${p.email})
      else exists (select 1 from ${users} left join ${memberships}
          on ${memberships.company_id} = ${company_id} and ${memberships.user_id} = ${users.id}
        where ${users.id} = ${p.userId} and ${users.email} = ${p.email} and ${users.is_active} = 1
          and (${users.is_staff} = 0 or (${isAllowed()} and ${p.provider} <> 'oidc'))) end`;
    const belongsToOtherUser = sql`exists (select 1 from ${identities} where ${identities.provider} = ${p.provider}
      and ${identities.issuer} = ${p.issuer} and ${identities.subject} = ${p.subject}
      and ${identities.company_id} = ${p.identityCompany} and ${identities.user_id} is not ${p.userId})`;
    return queryBuilder
      .update(oauth_states)
      .set({ use_nonce: p.nonce })
      .where(
        and(
          eq(state_hash, p.stateHash),
          eq(use_nonce, p.useNonce),
          isCompanyActive(company_id),
          isClientActive,
          isAccountUnchanged,
          canJoin({ ...p, companyId: company_id }),
          sql`not ${belongsToOtherUser}`,
        ),
      );
  },
);

import { and, eq, sql } from "drizzle-orm";
import { companyUserColumns } from "../../../../db/identity/conditions/company-user";
import { identities, memberships, oauth_states, preferences, users } from "../../../../db/identity/schema";
import { integer } from "../../../kit/db/kind";
import { columnName, insertSelect, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** An account at a provider. `identityCompany` is the company whose generic OpenID provider it is, or 0 for other providers. */
const account = {
  provider: identities.provider,
  issuer: identities.issuer,
  subject: identities.subject,
  identityCompany: identities.company_id,
};

/** Selects the user to whom a provider's account is linked. */
export const findUserByIdentity = statement({ companyId: memberships.company_id, ...account }, (p) =>
  queryBuilder
    .select(companyUserColumns)
    .from(identities)
    .innerJoin(users, eq(users.id, identities.user_id))
    .leftJoin(memberships, and(eq(memberships.company_id, p.companyId), eq(memberships.user_id, users.id)))
    .leftJoin(preferences, eq(preferences.user_id, users.id))
    .where(
      and(
        eq(identities.provider, p.provider),
        eq(identities.issuer, p.issuer),
        eq(identities.subject, p.subject),
        eq(identities.company_id, p.identityCompany),
      ),
    ),
);

/**
 * Links the provider's account to the user with the address `email`, or records its use if it is already linked. Does nothing
 * unless `useNonce` finished the state. `providerEmail` is the address at the provider.
 */
export const linkIdentity = statement(
  {
    stateHash: oauth_states.state_hash,
    useNonce: oauth_states.use_nonce,
    email: users.email,
    now: integer,
    id: identities.id,
    ...account,
    providerEmail: identities.email,
    isProven: identities.email_proven,
  },
  (p) => {
    const { provider, issuer, subject, company_id, last_used_at, email, email_proven } = identities;
    return insertSelect(
      identities,
      {
        id: p.id,
        user_id: users.id,
        provider: p.provider,
        issuer: p.issuer,
        subject: p.subject,
        company_id: p.identityCompany,
        email: p.providerEmail,
        email_proven: p.isProven,
        created_at: p.now,
        last_used_at: p.now,
      },
      sql`from ${users} where ${users.email} = ${p.email} and exists (select 1 from ${oauth_states}
          where ${oauth_states.state_hash} = ${p.stateHash} and ${oauth_states.use_nonce} = ${p.useNonce})
        on conflict (${columnName(provider)}, ${columnName(issuer)}, ${columnName(subject)}, ${columnName(company_id)}) do update set
          ${columnName(last_used_at)} = excluded.last_used_at, ${columnName(email)} = excluded.email,
          ${columnName(email_proven)} = max(${email_proven}, excluded.email_proven)`,
    );
  },
);

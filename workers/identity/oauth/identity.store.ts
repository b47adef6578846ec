import { sql } from "../../kit/db";
import { personColumns } from "../account/person.store";

/** (company, provider, issuer, subject, company of the identity): the person whom a provider's account signs in. */
export const findPersonByIdentity = sql(
  `SELECT ${personColumns} FROM identities i JOIN users u ON u.id = i.user_id
   LEFT JOIN memberships m ON m.company_id = ?1 AND m.user_id = u.id
   LEFT JOIN preferences p ON p.user_id = u.id
   WHERE i.provider = ?2 AND i.issuer = ?3 AND i.subject = ?4 AND i.company_id = ?5`,
);

/**
 * (state hash, use nonce, email of the account, now, id, provider, issuer, subject, company of the identity, email at the
 * provider, proven 0/1): links the provider's account, or notes its use.
 */
export const linkIdentity = sql(
  `INSERT INTO identities (id, user_id, provider, issuer, subject, company_id, email, email_proven, created_at,
     last_used_at)
   SELECT ?5, u.id, ?6, ?7, ?8, ?9, ?10, ?11, ?4, ?4 FROM users u WHERE u.email = ?3
     AND EXISTS (SELECT 1 FROM oauth_states r WHERE r.state_hash = ?1 AND r.use_nonce = ?2)
   ON CONFLICT(provider, issuer, subject, company_id) DO UPDATE SET last_used_at = excluded.last_used_at,
     email = excluded.email, email_proven = max(email_proven, excluded.email_proven)`,
);

import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import { freeUsername, userBlock, usernameParameters } from "../../../../db/identity/person";
import { companies, event_log, memberships, oauth_states, preferences, users } from "../../../../db/identity/schema";
import { integer, nullable, text } from "../../../kit/db/kind";
import { insertSelect, name, q, rows } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const address = { id: users.id, email: users.email };

/** Addresses of the active owners, at most 50. */
export const findOwners = statement({ companyId: companies.id }, (p) =>
  q
    .select(address)
    .from(memberships)
    .innerJoin(users, and(eq(users.id, memberships.user_id), eq(users.is_active, true)))
    .where(
      and(eq(memberships.company_id, p.companyId), eq(memberships.is_owner, true), eq(memberships.state, "allowed")),
    )
    .limit(50),
);

export type Administrator = RowOfStatement<typeof findOwners>;

/** Addresses of the active staff members, at most 50; they stand in for owners where there is none. */
export const findStaffMembers = statement({ companyId: companies.id }, (p) =>
  rows(
    address,
    (columns) => sql`select ${columns} from ${users} indexed by users_staff
      join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
        and ${memberships.state} = 'allowed'
      where ${users.is_staff} = 1 and ${users.is_active} = 1 limit 50`,
  ),
);

/** The account that a refused first sign-in by link leaves, so that an administrator can act. */
export const createRefusedUser = statement({ email: users.email, now: integer, ...usernameParameters }, (p) =>
  insertSelect(
    users,
    {
      email: p.email,
      email_verified_at: p.now,
      username: freeUsername(p),
      created_at: p.now,
      updated_at: p.now,
    },
    sql`where true on conflict (${name(users.email)}) do nothing`,
  ),
);

const refused = {
  companyId: memberships.company_id,
  email: users.email,
  state: memberships.state,
  now: integer,
  /** the state that a sign-in by a provider spent; null for a link, which stays unspent: there is nothing to depend on */
  stateHash: nullable(oauth_states.state_hash),
  useNonce: oauth_states.use_nonce,
};

const isOpen = (p: { stateHash: SQLWrapper; useNonce: SQLWrapper }) =>
  sql`(${p.stateHash} is null or exists (select 1 from ${oauth_states}
    where ${oauth_states.state_hash} = ${p.stateHash} and ${oauth_states.use_nonce} = ${p.useNonce}))`;

/** The membership that a refusal by the join rules leaves; it answers a row only on the first move from none. */
export const createMembership = statement(refused, (p) => {
  const values = {
    company_id: p.companyId,
    user_id: users.id,
    state: p.state,
    state_reason: "join_rule" as const,
    state_at: p.now,
    created_at: p.now,
  };
  const inserted = insertSelect(
    memberships,
    values,
    sql`from ${users} where ${users.email} = ${p.email} and ${isOpen(p)}
      on conflict (${name(memberships.company_id)}, ${name(memberships.user_id)}) do nothing`,
  );
  return rows({ user_id: memberships.user_id }, (columns) => sql`${inserted} returning ${columns}`);
});

/** A membership kept by the join rules follows the present mode of the company. */
export const moveMembership = statement(refused, (p) =>
  q
    .update(memberships)
    .set({ state: p.state, state_at: p.now })
    .where(
      and(
        eq(memberships.company_id, p.companyId),
        sql`${memberships.user_id} = (select ${users.id} from ${users} where ${users.email} = ${p.email})`,
        eq(memberships.state_reason, "join_rule"),
        sql`${memberships.state} not in ('allowed', ${p.state})`,
        isOpen(p),
      ),
    ),
);

/** `identity.membership.requested`, right behind the statement that made the membership: written only when it did. */
export const insertRequestedEvent = statement(
  {
    email: users.email,
    companyId: event_log.company_id,
    eventId: event_log.id,
    source: text,
    state: memberships.state,
    now: integer,
  },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.eventId,
        company_id: p.companyId,
        event_type: "identity.membership.requested",
        user_id: users.id,
        user_email: users.email,
        data: userBlock(p.source, sql`, 'access_state', ${p.state}`),
        created_at: p.now,
      },
      sql`from ${users} left join ${preferences} on ${preferences.user_id} = ${users.id}
        where changes() > 0 and ${users.email} = ${p.email} on conflict do nothing`,
    ),
);

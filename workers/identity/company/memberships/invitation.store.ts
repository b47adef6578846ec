import { and, eq, ne, type SQLWrapper, sql } from "drizzle-orm";
import { isAcceptable } from "../../../../db/identity/conditions/invitations";
import { bySource } from "../../../../db/identity/conditions/one-time-row";
import {
  event_log,
  group_members,
  groups,
  identities,
  invitations,
  preferences,
  sign_in_requests,
  users,
} from "../../../../db/identity/schema";
import { integer, json, text } from "../../../kit/db/kind";
import { columnName, insertSelect, queryBuilder } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

// The statements with which a sign-in reads and accepts the invitation that was sent to its address.

const { id, company_id, email, status, group_ids, created_at, expires_at } = invitations;
/** The columns of an invitation that a sign-in reads. */
const invitationColumns = { id, status, group_ids, created_at, expires_at };

/** Returns the condition that the invitation was sent to the address, and is pending or revoked. */
const isInvitationOf = (companyId: SQLWrapper, address: SQLWrapper) =>
  and(eq(company_id, companyId), eq(email, address), ne(status, sql`'accepted'`));

/** Selects the pending or revoked invitation of an address. */
export const findInvitationOfAddress = statement({ companyId: company_id, email }, (p) =>
  queryBuilder.select(invitationColumns).from(invitations).where(isInvitationOf(p.companyId, p.email)),
);

export type InvitationOfAddress = RowOfStatement<typeof findInvitationOfAddress>;

const requests = sign_in_requests;

/** Like findInvitationOfAddress, for the address to which a link was sent. */
export const findInvitationOfRequest = statement(
  { companyId: requests.company_id, tokenHash: requests.token_hash },
  (p) =>
    queryBuilder
      .select(invitationColumns)
      .from(requests)
      .innerJoin(invitations, isInvitationOf(requests.company_id, requests.email))
      .where(and(eq(requests.token_hash, p.tokenHash), eq(requests.company_id, p.companyId))),
);

/** Like findInvitationOfAddress, for the user to whom a provider's account is linked. */
export const findInvitationOfIdentity = statement(
  {
    companyId: company_id,
    provider: identities.provider,
    issuer: identities.issuer,
    subject: identities.subject,
    identityCompany: identities.company_id,
  },
  (p) =>
    queryBuilder
      .select(invitationColumns)
      .from(identities)
      .innerJoin(users, eq(users.id, identities.user_id))
      .innerJoin(invitations, isInvitationOf(p.companyId, users.email))
      .where(
        and(
          eq(identities.provider, p.provider),
          eq(identities.issuer, p.issuer),
          eq(identities.subject, p.subject),
          eq(identities.company_id, p.identityCompany),
        ),
      ),
);

/** A group that an invited user joins, and the id of the event that reports it. */
export type InvitedGroup = { group_id: string; event_id: string };

const acceptance = { key: text, nonce: text, companyId: company_id, email, invitationId: id, now: integer };
type Acceptance = Record<keyof typeof acceptance, SQLWrapper>;

/**
 * The statements of an accepted invitation, in the order in which they must run. They follow the transition of the
 * membership, and change nothing unless the one-time row was consumed and the invitation is open.
 */
export const acceptanceBySignIn = bySource((isConsumedBy) => {
  const isAccepting = (p: Acceptance) => sql`${isConsumedBy(p)} and ${isAcceptable(p)}`;
  const isInvitedGroup = (p: Acceptance) => sql`${groups.company_id} = ${p.companyId} and ${groups.source} = 'admin'
    and ${groups.id} in (select value from json_each((select ${group_ids} from ${invitations} where ${id} = ${p.invitationId})))`;
  return {
    /** Inserts `identity.group.membership_changed` for each group that the user joins. */
    insertGroupEvents: statement({ ...acceptance, joined: json<InvitedGroup[]>() }, (p) =>
      insertSelect(
        event_log,
        {
          id: sql`joined.value ->> 'event_id'`,
          company_id: p.companyId,
          event_type: "identity.group.membership_changed",
          user_id: users.id,
          user_email: users.email,
          data: sql`json_object('change', 'members_added', 'display_name', ${groups.display_name},
            'group_id', ${groups.id}, 'source', ${groups.source}, 'user_ids', json_array(${users.id}))`,
          created_at: p.now,
        },
        sql`from json_each(${p.joined}) joined cross join ${groups} on ${groups.id} = joined.value ->> 'group_id'
          cross join ${users} on ${users.email} = ${p.email}
          where ${isInvitedGroup(p)} and ${isAccepting(p)} and not exists (select 1 from ${group_members}
            where ${group_members.group_id} = ${groups.id} and ${group_members.user_id} = ${users.id}) on conflict do nothing`,
      ),
    ),
    joinGroups: statement(acceptance, (p) =>
      insertSelect(
        group_members,
        { group_id: groups.id, user_id: users.id },
        sql`from ${groups} cross join ${users} on ${users.email} = ${p.email}
          where ${isInvitedGroup(p)} and ${isAccepting(p)} on conflict do nothing`,
      ),
    ),
    countGroupUsers: statement(acceptance, (p) =>
      queryBuilder
        .update(groups)
        .set({
          user_count: sql`(select count(*) from ${group_members} where ${group_members.group_id} = ${groups.id})`,
          revision: sql`lower(hex(randomblob(16)))`,
          updated_at: p.now,
        })
        .where(sql`${isInvitedGroup(p)} and ${isAccepting(p)}`),
    ),
    /** Stores the language of the invitation for a user without preferences. */
    setLanguage: statement(acceptance, (p) =>
      insertSelect(
        preferences,
        { user_id: users.id, language: invitations.language, updated_at: p.now },
        sql`from ${users} cross join ${invitations} on ${id} = ${p.invitationId}
          where ${users.email} = ${p.email} and ${isAccepting(p)} on conflict do nothing`,
      ),
    ),
    /** Marks the invitation as accepted. If the invitation mail is still waiting, it is cancelled. */
    accept: statement(
      acceptance,
      (
        p,
      ) => sql`update ${invitations} set ${columnName(status)} = 'accepted', ${columnName(invitations.accepted_at)} = ${p.now},
          ${columnName(invitations.accepted_user_id)} = (select ${users.id} from ${users} where ${users.email} = ${p.email}),
          ${columnName(invitations.mail_sealed)} = null, ${columnName(invitations.mail_lease)} = null,
          ${columnName(invitations.mail_state)} = nullif(${invitations.mail_state}, 'waiting')
        where ${id} = ${p.invitationId} and ${isAccepting(p)}`,
    ),
  };
});

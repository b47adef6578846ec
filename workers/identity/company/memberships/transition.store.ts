import { and, eq, ne, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isAcceptable } from "../../../../db/identity/conditions/invitations";
import { hasOtherOwner, isAllowed, isUnseenSince, ownsCompany } from "../../../../db/identity/conditions/membership";
import { bySource } from "../../../../db/identity/conditions/one-time-row";
import { type Transition, transitions } from "../../../../db/identity/conditions/transitions";
import { event_log, invitations, memberships, users } from "../../../../db/identity/schema";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import {
  columnName,
  type InsertValues,
  insertSelect,
  jsonEach,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

// All statements that insert or delete memberships, or change their state. They take the states only from `transitions`.

const { company_id, user_id, state, state_reason, state_at, is_owner, last_seen_at } = memberships;

type Entering = Transition & { to: NonNullable<Transition["to"]> };

/** Returns the condition that the membership is in a state that the transition starts from. */
function isInStartState({ from: starts }: Transition): SQL | undefined {
  const matchesStart = ({ state: startState, reasons }: Transition["from"][number]) => {
    if (reasons === undefined) return eq(state, sql.raw(`'${startState}'`));
    const listed = sql.raw(reasons.map((reason) => `'${reason}'`).join(", "));
    return and(eq(state, sql.raw(`'${startState}'`)), sql`${state_reason} in (${listed})`);
  };
  return or(...starts.map(matchesStart));
}

/** Returns the column values of a membership that the transition creates for the user in `users`. */
const membershipValues = (
  { to }: Entering,
  companyId: SQLWrapper,
  now: SQLWrapper,
): InsertValues<typeof memberships> => ({
  company_id: companyId,
  user_id: users.id,
  state: to.state,
  state_reason: to.reason,
  state_at: now,
  created_at: now,
});

// A company must keep its last owner. The statement itself checks this, so at least one owner remains after any number of
// parallel requests.
const hasRemainingOwner = (p: Member) =>
  or(eq(is_owner, false), ne(state, "allowed"), hasOtherOwner(p.companyId, p.userId));

const isOfKind = { any: null, never: 0, only: 1 } as const;

/** Returns the condition under which a transition may change or remove one membership. */
function isTransitionAllowed(transition: Transition, p: Member): SQL | undefined {
  const isStaff = isOfKind[transition.staff];
  const kind = sql`exists (select 1 from ${users} where ${users.id} = ${p.userId} and ${users.is_staff} = ${isStaff})`;
  return and(
    isMembership(p),
    isInStartState(transition),
    ...(isStaff === null ? [] : [kind]),
    ...(transition.ends.includes("ownership") ? [hasRemainingOwner(p)] : []),
  );
}

const member = { companyId: company_id, userId: user_id };
type Member = Record<keyof typeof member, SQLWrapper>;

const isMembership = (p: Member) => and(eq(company_id, p.companyId), eq(user_id, p.userId));

/** Returns the statement of a transition that changes one membership. It always removes ownership. */
const accessChange = (transition: Entering) =>
  statement({ ...member, now: integer }, (p) =>
    queryBuilder
      .update(memberships)
      .set({
        state: transition.to.state,
        state_reason: transition.to.reason,
        state_at: p.now,
        is_owner: false,
      })
      .where(isTransitionAllowed(transition, p)),
  );

/** The access changes that an administrator can make to a member. */
export const changeAccess = {
  enable: accessChange(transitions.enable),
  suspend: accessChange(transitions.suspend),
  deny: accessChange(transitions.deny),
};

/** Removes one membership. */
export const removeMembership = statement(member, (p) =>
  queryBuilder.delete(memberships).where(isTransitionAllowed(transitions.remove, p)),
);

/**
 * Returns the statement of a transition that the directory makes: it inserts the membership of the user with this address, or
 * changes it if it is in an initial state of the transition. It always removes ownership, and changes nothing if the company
 * would lose its last owner.
 */
const directoryChange = (transition: Entering) =>
  statement({ companyId: company_id, email: users.email, now: integer }, (p) => {
    const staff = isOfKind[transition.staff];
    return insertSelect(
      memberships,
      membershipValues(transition, p.companyId, p.now),
      sql`from ${users} where ${users.email} = ${p.email}${staff === null ? sql`` : sql` and ${users.is_staff} = ${staff}`}
        on conflict (${columnName(company_id)}, ${columnName(user_id)}) do update set
          ${columnName(state)} = excluded.state, ${columnName(state_reason)} = excluded.state_reason,
          ${columnName(state_at)} = excluded.state_at, ${columnName(is_owner)} = 0
        where ${isInStartState(transition)} and ${hasRemainingOwner(member)}`,
    );
  });

/** The access changes that a directory can make to a user. */
export const changeAccessByDirectory = {
  provision: directoryChange(transitions.provision),
  deprovision: directoryChange(transitions.deprovision),
};

const consumption = { key: text, nonce: text };

/**
 * The transition `join` in the batch of a sign-in. Does not update an allowed member who was already seen since `today` (the
 * start of the day, unix ms).
 */
export const joinBySignIn = bySource((isConsumedBy) =>
  statement({ ...consumption, email: users.email, companyId: company_id, now: integer, today: integer }, (p) =>
    insertSelect(
      memberships,
      { ...membershipValues(transitions.join, p.companyId, p.now), last_seen_at: p.now },
      sql`from ${users} where ${users.email} = ${p.email} and ${isConsumedBy(p)}
        on conflict (${columnName(company_id)}, ${columnName(user_id)}) do update set
          ${columnName(state_at)} = case when ${isAllowed()} then ${state_at} else excluded.state_at end,
          ${columnName(state)} = excluded.state,
          ${columnName(last_seen_at)} = case when ${isUnseenSince(p.today)} then excluded.last_seen_at else ${last_seen_at} end
        where (${isAllowed()} and ${isUnseenSince(p.today)}) or ${isInStartState(transitions.join)}`,
    ),
  ),
);

/**
 * The transition `acceptInvitation` in the batch of a sign-in. Changes nothing when the invitation is not open any more, or the
 * member is already allowed.
 */
export const acceptBySignIn = bySource((isConsumedBy) =>
  statement(
    { ...consumption, email: users.email, companyId: company_id, invitationId: invitations.id, now: integer },
    (p) =>
      insertSelect(
        memberships,
        { ...membershipValues(transitions.acceptInvitation, p.companyId, p.now), last_seen_at: p.now },
        sql`from ${users} where ${users.email} = ${p.email} and ${users.is_staff} = 0 and ${isConsumedBy(p)} and ${isAcceptable(p)}
          on conflict (${columnName(company_id)}, ${columnName(user_id)}) do update set
            ${columnName(state)} = excluded.state, ${columnName(state_reason)} = excluded.state_reason,
            ${columnName(state_at)} = excluded.state_at, ${columnName(last_seen_at)} = excluded.last_seen_at
          where ${isInStartState(transitions.acceptInvitation)}`,
      ),
  ),
);

const refusal = { key: nullable(text), nonce: nullable(text), email: users.email, companyId: company_id, now: integer };

/**
 * Returns the statements that store the membership (pending or denied) when the join rules reject a sign-in. `key` is null
 * when the rejection consumes no one-time row.
 */
const rejectionStatements = (transition: Entering) =>
  bySource((isConsumedBy) => {
    const isUsed = (p: { key: SQLWrapper; nonce: SQLWrapper }) => sql`(${p.key} is null or ${isConsumedBy(p)})`;
    return {
      /** Returns a row only when the membership is new. */
      create: statement(refusal, (p) => {
        const inserted = insertSelect(
          memberships,
          membershipValues(transition, p.companyId, p.now),
          sql`from ${users} where ${users.email} = ${p.email} and ${isUsed(p)}
            on conflict (${columnName(company_id)}, ${columnName(user_id)}) do nothing`,
        );
        return selectRows({ user_id }, (columns) => sql`${inserted} returning ${columns}`);
      }),
      /** Updates a membership that the join rules created, so that it follows the company's current access mode. */
      update: statement(refusal, (p) =>
        queryBuilder
          .update(memberships)
          .set({ state: transition.to.state, state_at: p.now })
          .where(
            and(
              eq(company_id, p.companyId),
              sql`${user_id} = (select ${users.id} from ${users} where ${users.email} = ${p.email})`,
              isInStartState(transition),
              isUsed(p),
            ),
          ),
      ),
    };
  });

/** The statements of rejected sign-ins, by the state that they store. */
export const refuseBySignIn = {
  pending: rejectionStatements(transitions.await),
  denied: rejectionStatements(transitions.refuse),
};

/**
 * Makes the users with the addresses `ownerEmails` owners of a new company. `eventId` is the event that reports the creation
 * of the company. Includes staff accounts only if `admitsStaff`.
 */
export const insertOwnerMemberships = statement(
  { eventId: event_log.event_id, now: integer, ownerEmails: json<string[]>(), admitsStaff: boolean },
  (p) => {
    const owner = jsonEach(p.ownerEmails);
    return insertSelect(
      memberships,
      { ...membershipValues(transitions.createCompany, event_log.company_id, p.now), is_owner: true },
      sql`from ${event_log} cross join ${owner.from} cross join ${users} on ${users.email} = ${owner.value}
        where ${event_log.event_id} = ${p.eventId} and (${users.is_staff} = 0 or ${p.admitsStaff}) on conflict do nothing`,
    );
  },
);

const inCompany = { email: users.email, companyId: company_id };

/** Makes an account a member of the company. Changes nothing unless the account is active staff. */
export const admitStaff = statement({ ...inCompany, now: integer }, (p) =>
  insertSelect(
    memberships,
    membershipValues(transitions.admitStaff, p.companyId, p.now),
    sql`from ${users} where ${users.email} = ${p.email} and ${users.is_staff} = 1 and ${users.is_active} = 1
      on conflict (${columnName(company_id)}, ${columnName(user_id)}) do update set
        ${columnName(state)} = excluded.state, ${columnName(state_reason)} = excluded.state_reason,
        ${columnName(state_at)} = excluded.state_at
      where ${isInStartState(transitions.admitStaff)}`,
  ),
);

/** A person whom an import adds. `created_at` is unix ms. */
export type ImportedMember = { email: string; created_at: number };

/**
 * Returns the statement that adds imported people to the company, or moves their memberships. It changes nothing for accounts
 * that are staff or inactive. `allow` also requires that no invitation of the address was revoked.
 */
const importStatement = (transition: Entering, update: SQL) =>
  statement({ companyId: company_id, people: json<ImportedMember[]>(), now: integer }, (p) => {
    const { from, item } = jsonEach(p.people, "person");
    const isRevoked = sql`exists (select 1 from ${invitations} where ${invitations.company_id} = ${p.companyId}
      and ${invitations.email} = ${item.email} and ${invitations.status} <> 'accepted' and ${invitations.status} = 'revoked')`;
    const isExcluded = transition.to.state === "allowed" ? sql`and not ${isRevoked}` : sql``;
    return insertSelect(
      memberships,
      { ...membershipValues(transition, p.companyId, p.now), created_at: item.created_at },
      sql`from ${from} cross join ${users} on ${users.email} = ${item.email}
        where ${users.is_staff} = 0 and ${users.is_active} = 1 ${isExcluded}
        on conflict (${columnName(company_id)}, ${columnName(user_id)}) do ${update}`,
    );
  });

/** The transitions of an import, for all people of a chunk. */
export const importMembers = {
  add: importStatement(transitions.importPerson, sql`nothing`),
  allow: importStatement(
    transitions.importAllowed,
    sql`update set ${columnName(state)} = excluded.state, ${columnName(state_reason)} = excluded.state_reason,
      ${columnName(state_at)} = excluded.state_at where ${isInStartState(transitions.importAllowed)}`,
  ),
};

/**
 * Removes all memberships of an account except the one in `companyId`. Removes none when one of the other companies would
 * lose its last owner.
 */
export const leaveOtherCompanies = statement(inCompany, (p) => {
  const otherMemberships = alias(memberships, "other_memberships");
  return queryBuilder.delete(memberships).where(
    sql`${user_id} = (select ${users.id} from ${users} where ${users.email} = ${p.email})
      and ${company_id} <> ${p.companyId}
      and not exists (select 1 from ${users} join ${tableReference(otherMemberships)} on ${otherMemberships.user_id} = ${users.id}
        where ${users.email} = ${p.email} and ${otherMemberships.company_id} <> ${p.companyId} and ${ownsCompany(otherMemberships)}
          and not ${hasOtherOwner(otherMemberships.company_id, otherMemberships.user_id)})`,
  );
});

import { and, eq, ne, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { hasOtherOwner, isAllowed, isUnseenSince, ownsCompany } from "../../../../db/identity/membership";
import { bySource } from "../../../../db/identity/one-time-row";
import { event_log, memberships, users } from "../../../../db/identity/schema";
import { type Transition, transitions } from "../../../../db/identity/transitions";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import { each, from, type InsertValues, insertSelect, name, q, rows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

// Every statement that makes, moves or removes memberships. States come from the table of transitions alone.

const { company_id, user_id, state, state_reason, state_at, is_owner, last_seen_at } = memberships;

type Entering = Transition & { to: NonNullable<Transition["to"]> };

/** Whether the membership is in a state that the transition starts from. */
function startsHere({ from: starts }: Transition): SQL | undefined {
  const of = ({ state: one, reasons }: Transition["from"][number]) => {
    if (reasons === undefined) return eq(state, sql.raw(`'${one}'`));
    const listed = sql.raw(reasons.map((reason) => `'${reason}'`).join(", "));
    return and(eq(state, sql.raw(`'${one}'`)), sql`${state_reason} in (${listed})`);
  };
  return or(...starts.map(of));
}

/** The values that a transition leaves in a new membership of the user in `users`. */
const entered = ({ to }: Entering, companyId: SQLWrapper, now: SQLWrapper): InsertValues<typeof memberships> => ({
  company_id: companyId,
  user_id: users.id,
  state: to.state,
  state_reason: to.reason,
  state_at: now,
  created_at: now,
});

// A company keeps its last owner: asked inside the statement that would let them go, so that of any number of parallel
// calls one owner stays.
const mayGo = (p: Member) => or(eq(is_owner, false), ne(state, "allowed"), hasOtherOwner(p.companyId, p.userId));

const isOfKind = { any: null, never: 0, only: 1 } as const;

/** The condition of a transition that moves or removes one membership. */
function mayChange(transition: Transition, p: Member): SQL | undefined {
  const isStaff = isOfKind[transition.staff];
  const kind = sql`exists (select 1 from ${users} where ${users.id} = ${p.userId} and ${users.is_staff} = ${isStaff})`;
  return and(
    isMembership(p),
    startsHere(transition),
    ...(isStaff === null ? [] : [kind]),
    ...(transition.ends.includes("ownership") ? [mayGo(p)] : []),
  );
}

const member = { companyId: company_id, userId: user_id };
type Member = Record<keyof typeof member, SQLWrapper>;

const isMembership = (p: Member) => and(eq(company_id, p.companyId), eq(user_id, p.userId));

/** The statement of a transition that moves one membership; ownership never survives it. */
const move = (transition: Entering) =>
  statement({ ...member, now: integer }, (p) =>
    q
      .update(memberships)
      .set({
        state: transition.to.state,
        state_reason: transition.to.reason,
        state_at: p.now,
        is_owner: false,
      })
      .where(mayChange(transition, p)),
  );

/** Moves of one member by an administrator. */
export const changeAccess = {
  enable: move(transitions.enable),
  suspend: move(transitions.suspend),
  deny: move(transitions.deny),
};

/** Removes one membership. */
export const removeMembership = statement(member, (p) => q.delete(memberships).where(mayChange(transitions.remove, p)));

const use = { key: text, nonce: text };

/**
 * The transition `join` in the batch of a sign-in. Somebody who is let in and was seen since `today` (unix ms) is left as
 * they are.
 */
export const joinBySignIn = bySource((isConsumedBy) =>
  statement({ ...use, email: users.email, companyId: company_id, now: integer, today: integer }, (p) =>
    insertSelect(
      memberships,
      { ...entered(transitions.join, p.companyId, p.now), last_seen_at: p.now },
      sql`from ${users} where ${users.email} = ${p.email} and ${isConsumedBy(p)}
        on conflict (${name(company_id)}, ${name(user_id)}) do update set
          ${name(state_at)} = case when ${isAllowed()} then ${state_at} else excluded.state_at end,
          ${name(state)} = excluded.state,
          ${name(last_seen_at)} = case when ${isUnseenSince(p.today)} then excluded.last_seen_at else ${last_seen_at} end
        where (${isAllowed()} and ${isUnseenSince(p.today)}) or ${startsHere(transitions.join)}`,
    ),
  ),
);

const refusal = { key: nullable(text), nonce: nullable(text), email: users.email, companyId: company_id, now: integer };

/** What a sign-in leaves that the join rules refuse. `key` is null where the refusal spends no row. */
const leave = (transition: Entering) =>
  bySource((isConsumedBy) => {
    const isUsed = (p: { key: SQLWrapper; nonce: SQLWrapper }) => sql`(${p.key} is null or ${isConsumedBy(p)})`;
    return {
      /** Answers a row only where there was no membership. */
      make: statement(refusal, (p) => {
        const inserted = insertSelect(
          memberships,
          entered(transition, p.companyId, p.now),
          sql`from ${users} where ${users.email} = ${p.email} and ${isUsed(p)}
            on conflict (${name(company_id)}, ${name(user_id)}) do nothing`,
        );
        return rows({ user_id }, (columns) => sql`${inserted} returning ${columns}`);
      }),
      /** A membership that the join rules keep follows the present mode of the company. */
      move: statement(refusal, (p) =>
        q
          .update(memberships)
          .set({ state: transition.to.state, state_at: p.now })
          .where(
            and(
              eq(company_id, p.companyId),
              sql`${user_id} = (select ${users.id} from ${users} where ${users.email} = ${p.email})`,
              startsHere(transition),
              isUsed(p),
            ),
          ),
      ),
    };
  });

/** By the state that a refused sign-in leaves. */
export const refuseBySignIn = { pending: leave(transitions.await), denied: leave(transitions.refuse) };

/** The owners of the company that the event `eventId` reports; staff accounts only where `admitsStaff`. */
export const insertOwnerMemberships = statement(
  { eventId: event_log.event_id, now: integer, ownerEmails: json<string[]>(), admitsStaff: boolean },
  (p) => {
    const owner = each(p.ownerEmails);
    return insertSelect(
      memberships,
      { ...entered(transitions.found, event_log.company_id, p.now), is_owner: true },
      sql`from ${event_log} cross join ${owner.from} cross join ${users} on ${users.email} = ${owner.value}
        where ${event_log.event_id} = ${p.eventId} and (${users.is_staff} = 0 or ${p.admitsStaff}) on conflict do nothing`,
    );
  },
);

const inCompany = { email: users.email, companyId: company_id };

/** Lets a staff account into a company; nobody else. */
export const admitStaff = statement({ ...inCompany, now: integer }, (p) =>
  insertSelect(
    memberships,
    entered(transitions.admitStaff, p.companyId, p.now),
    sql`from ${users} where ${users.email} = ${p.email} and ${users.is_staff} = 1 and ${users.is_active} = 1
      on conflict (${name(company_id)}, ${name(user_id)}) do update set
        ${name(state)} = excluded.state, ${name(state_reason)} = excluded.state_reason,
        ${name(state_at)} = excluded.state_at
      where ${startsHere(transitions.admitStaff)}`,
  ),
);

/**
 * Removes every membership of an account but that of one company, unless one of the others would lose its last owner; then
 * none is removed.
 */
export const leaveOtherCompanies = statement(inCompany, (p) => {
  const kept = alias(memberships, "k");
  return q.delete(memberships).where(
    sql`${user_id} = (select ${users.id} from ${users} where ${users.email} = ${p.email})
      and ${company_id} <> ${p.companyId}
      and not exists (select 1 from ${users} join ${from(kept)} on ${kept.user_id} = ${users.id}
        where ${users.email} = ${p.email} and ${kept.company_id} <> ${p.companyId} and ${ownsCompany(kept)}
          and not ${hasOtherOwner(kept.company_id, kept.user_id)})`,
  );
});

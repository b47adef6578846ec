import type { Source } from "../../../../db/identity/one-time-row";
import { type Transition, transitions } from "../../../../db/identity/transitions";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { IdentityServices } from "../../services";
import {
  deleteOrphanedPreferences,
  deletePatsOfStranger,
  deleteSessionsOfStranger,
  deleteUserWithoutMembership,
  endSignInRequestsOfStranger,
  revokePatsOfStranger,
  revokeSessionsOfStranger,
} from "./access-end.store";
import { addOwners, findMembership, findMembershipsOfAccount, removeOtherOwners } from "./membership.store";
import {
  admitStaff,
  changeAccess,
  insertOwnerMemberships,
  joinBySignIn,
  leaveOtherCompanies,
  refuseBySignIn,
  removeMembership,
} from "./transition.store";

/** A user in a company. */
export type Member = { companyId: number; userId: number };

/** The access changes that an administrator can make to a member. */
export type AccessChange = keyof typeof changeAccess;

/** The one-time row of a sign-in and the nonce that consumes it. */
type Consumption = { key: string; nonce: string };

/**
 * Returns the statements of an access change by an administrator: the change, then `following`, which may check `changes()`,
 * then the statements that end sessions and tokens.
 */
export function accessChangeStatements(
  { clock }: Pick<IdentityServices, "clock">,
  name: AccessChange,
  member: Member,
  following: readonly Bound[],
): Bound[] {
  const now = clock.now();
  return [followedBy(changeAccess[name]({ ...member, now }), ...following), ...endings(transitions[name], member, now)];
}

/**
 * Returns the statements that end sessions and tokens after a transition. A removal deletes the rows that other transitions
 * revoke. Ownership is a column of the membership, so it needs no statement.
 */
function endings({ ends, to }: Transition, member: Member, now: number): Bound[] {
  const ending = {
    sessions: to ? revokeSessionsOfStranger({ ...member, now }) : deleteSessionsOfStranger(member),
    tokens: to ? revokePatsOfStranger({ ...member, now }) : deletePatsOfStranger(member),
  };
  return ends.flatMap((end) => (end === "ownership" ? [] : [ending[end]]));
}

/**
 * Statement: the transition `join` of a sign-in. It changes nothing unless the one-time row was consumed. `today` is the
 * start of the day, unix ms.
 */
export function joinStatement(
  source: Source,
  input: Consumption & { email: string; companyId: number; now: number; today: number },
): Bound {
  return joinBySignIn[source](input);
}

/**
 * Returns the statements that store a rejected sign-in: `created` returns a row when the membership is new. `consumption` is
 * null when no row is consumed.
 */
export function refusalStatements(
  source: Source,
  state: "pending" | "denied",
  { consumption, ...input }: { consumption: Consumption | null; email: string; companyId: number; now: number },
): { created: Bound<{ user_id: number }>; updated: Bound } {
  const { create, update } = refuseBySignIn[state][source];
  const refused = { ...input, ...(consumption ?? { key: null, nonce: null }) };
  return { created: create(refused), updated: update(refused) };
}

/** Statement: the memberships of the owners of a new company, found by its creation event. */
export function ownerMembershipStatement(input: Parameters<typeof insertOwnerMemberships>[0]): Bound {
  return insertOwnerMemberships(input);
}

/** Returns the statements that replace the owners of a company, if all of them are allowed members. */
export function ownershipStatements(input: { companyId: number; owners: number[] }): Bound[] {
  return [addOwners(input), removeOtherOwners(input)];
}

/** Statement: lets a staff account, and no other, into a company. */
export function staffAdmission(input: { email: string; companyId: number; now: number }): Bound {
  return admitStaff(input);
}

/** Statement: the memberships of an account, and where it is the last owner. */
export function selectMembershipsOfAccount(email: string) {
  return findMembershipsOfAccount({ email });
}

/**
 * Returns the statements that remove an account from all companies but one, with events, and end its access there. `userId`
 * is null for an account that does not exist yet.
 */
export function leaveStatements(
  { clock }: Pick<IdentityServices, "clock">,
  account: { email: string; userId: number | null; companyId: number; others: readonly number[] },
  following: Bound,
): { removed: Bound; access: Bound[] } {
  const { email, userId, companyId, others } = account;
  const ended = (id: number, user: number) =>
    endings(transitions.leaveForStaff, { companyId: id, userId: user }, clock.now());
  return {
    removed: followedBy(leaveOtherCompanies({ email, companyId }), following),
    access: userId === null ? [] : others.flatMap((id) => ended(id, userId)),
  };
}

/**
 * Removes a membership with its sessions, tokens and open links, and the account when it was the last one, in one batch. The
 * statements of `following` follow the removal and do nothing when `changes()` is 0; `events` are the keys of their events.
 * Returns `last_owner`, with nothing changed, when the company would have no owner.
 */
export async function endMembership(
  services: IdentityServices,
  member: Member,
  following: readonly Bound[],
  events: readonly EventKey[],
): Promise<"ended" | "last_owner"> {
  const { userId } = member;
  const now = services.clock.now();
  const { remaining } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      removed: followedBy(removeMembership(member), ...following),
      access: endings(transitions.remove, member, now),
      links: endSignInRequestsOfStranger({ userId, now }),
      account: deleteUserWithoutMembership({ userId }),
      preferences: deleteOrphanedPreferences({ userId }),
      remaining: findMembership(member),
    },
    events,
  );
  return remaining.first === null ? "ended" : "last_owner";
}

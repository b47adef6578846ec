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

/** A person in a company. */
export type Member = { companyId: number; userId: number };

/** The moves of one member by an administrator. */
export type AccessChange = keyof typeof changeAccess;

/** The one-time row of a sign-in and the nonce that spends it. */
type Use = { key: string; nonce: string };

/**
 * Statements of a move by an administrator, for a batch: `behind` follows the move and looks at `changes()`, then what ends
 * with it.
 */
export function accessChangeStatements(
  { clock }: Pick<IdentityServices, "clock">,
  name: AccessChange,
  member: Member,
  behind: readonly Bound[],
): Bound[] {
  const now = clock.now();
  return [followedBy(changeAccess[name]({ ...member, now }), ...behind), ...endings(transitions[name], member, now)];
}

/** What ends with a transition, to be put behind it; a removal deletes what others revoke. Ownership ends with the row. */
function endings({ ends, to }: Transition, member: Member, now: number): Bound[] {
  const ending = {
    sessions: to ? revokeSessionsOfStranger({ ...member, now }) : deleteSessionsOfStranger(member),
    tokens: to ? revokePatsOfStranger({ ...member, now }) : deletePatsOfStranger(member),
  };
  return ends.flatMap((end) => (end === "ownership" ? [] : [ending[end]]));
}

/** The transition `join` in the batch of a sign-in; nothing when its row is not spent. `today`: start of the day, unix ms. */
export function joinStatement(
  source: Source,
  input: Use & { email: string; companyId: number; now: number; today: number },
): Bound {
  return joinBySignIn[source](input);
}

/** What a refused sign-in leaves: `made` answers a row on the first move from none. `use`: null when it spends no row. */
export function refusalStatements(
  source: Source,
  state: "pending" | "denied",
  { use, ...input }: { use: Use | null; email: string; companyId: number; now: number },
): { made: Bound<{ user_id: number }>; moved: Bound } {
  const { make, move } = refuseBySignIn[state][source];
  const refused = { ...input, ...(use ?? { key: null, nonce: null }) };
  return { made: make(refused), moved: move(refused) };
}

/** The memberships of the owners of a new company, which the event reports. */
export function ownerMembershipStatement(input: Parameters<typeof insertOwnerMemberships>[0]): Bound {
  return insertOwnerMemberships(input);
}

/** Makes the complete list of owners, when all of them are let in. */
export function ownershipStatements(input: { companyId: number; owners: number[] }): Bound[] {
  return [addOwners(input), removeOtherOwners(input)];
}

/** Lets a staff account into a company; nobody else. */
export function staffAdmission(input: { email: string; companyId: number; now: number }): Bound {
  return admitStaff(input);
}

/** The memberships of an account, and where it is the last owner. */
export function selectMembershipsOfAccount(email: string) {
  return findMembershipsOfAccount({ email });
}

/**
 * Takes an account out of every company but one: `left` with its events behind it, then what ends in the others. `userId`
 * is null for an account that is not there yet.
 */
export function leaveStatements(
  { clock }: Pick<IdentityServices, "clock">,
  account: { email: string; userId: number | null; companyId: number; others: readonly number[] },
  behind: Bound,
): { left: Bound; access: Bound[] } {
  const { email, userId, companyId, others } = account;
  const ended = (id: number, user: number) =>
    endings(transitions.leaveForStaff, { companyId: id, userId: user }, clock.now());
  return {
    left: followedBy(leaveOtherCompanies({ email, companyId }), behind),
    access: userId === null ? [] : others.flatMap((id) => ended(id, userId)),
  };
}

/**
 * Removes a membership with its sessions, tokens and open links, and the account when it was the last; one batch. `behind`
 * follows the removal: its statements look at `changes()` and do nothing when nothing was removed; `events` are the keys of
 * the events among them. `last_owner`: the company would have no owner; nothing is changed.
 */
export async function endMembership(
  services: IdentityServices,
  member: Member,
  behind: readonly Bound[],
  events: readonly EventKey[],
): Promise<"ended" | "last_owner"> {
  const { userId } = member;
  const now = services.clock.now();
  const { left } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      removed: followedBy(removeMembership(member), ...behind),
      access: endings(transitions.remove, member, now),
      links: endSignInRequestsOfStranger({ userId, now }),
      account: deleteUserWithoutMembership({ userId }),
      preferences: deleteOrphanedPreferences({ userId }),
      left: findMembership(member),
    },
    events,
  );
  return left.first === null ? "ended" : "last_owner";
}

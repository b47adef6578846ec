import type { Source } from "../../../../db/identity/conditions/one-time-row";
import { type Transition, transitions } from "../../../../db/identity/conditions/transitions";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { IdentityServices } from "../../services";
import {
  deleteOrphanedPreferences,
  deletePatsOfFormerMember,
  deleteSessionsOfFormerMember,
  deleteUserWithoutMembership,
  endInvitationOfFormerMember,
  endSignInRequestsWithoutMembership,
  revokePatsWithoutAccess,
  revokeSessionsWithoutAccess,
} from "./access-end.store";
import { refreshGroupNames, refreshGroupNamesOfAddresses } from "./group-names.store";
import {
  acceptanceBySignIn,
  findInvitationOfAddress,
  findInvitationOfIdentity,
  findInvitationOfRequest,
  type InvitationOfAddress,
  type InvitedGroup,
} from "./invitation.store";
import { addOwners, findMembership, findMembershipsOfAccount, removeOtherOwners } from "./membership.store";
import {
  acceptBySignIn,
  admitStaff,
  changeAccess,
  changeAccessByDirectory,
  type ImportedMember,
  importMembers,
  insertOwnerMemberships,
  joinBySignIn,
  leaveOtherCompanies,
  refuseBySignIn,
  removeMembership,
} from "./transition.store";

/** A user and a company, which identify a membership. */
export type Member = { companyId: number; userId: number };

/** The access changes that an administrator can make to a member. */
export type AccessChange = keyof typeof changeAccess;

/** The one-time row that a sign-in consumes (`key`) and the nonce that marks it as consumed by this request. */
type Consumption = { key: string; nonce: string };

/**
 * Returns the statements of an access change by an administrator: the change, then `following`, then the statements that end
 * sessions and tokens. The statements of `following` may read the `changes()` of the change.
 */
export function accessChangeStatements(
  { clock }: Pick<IdentityServices, "clock">,
  name: AccessChange,
  member: Member,
  following: readonly Bound[],
): Bound[] {
  const now = clock.now();
  return [
    followedBy(changeAccess[name]({ ...member, now }), ...following),
    ...accessEndStatements(transitions[name], member, now),
  ];
}

/**
 * Returns the statements that end sessions and tokens after a transition. A removal deletes these rows; other transitions
 * revoke them. Ownership is a column of the membership, so it needs no statement of its own.
 */
function accessEndStatements({ ends, to }: Transition, member: Member, now: number): Bound[] {
  const statements = {
    sessions: to ? revokeSessionsWithoutAccess({ ...member, now }) : deleteSessionsOfFormerMember(member),
    tokens: to ? revokePatsWithoutAccess({ ...member, now }) : deletePatsOfFormerMember(member),
  };
  return ends.flatMap((end) => (end === "ownership" ? [] : [statements[end]]));
}

/**
 * Returns the statement with which a directory gives a user access (`provision`) or ends it (`deprovision`). The user is found
 * by address and becomes a member if they are none.
 */
export function directoryChangeStatement(
  name: keyof typeof changeAccessByDirectory,
  input: { companyId: number; email: string; now: number },
): Bound {
  return changeAccessByDirectory[name](input);
}

/** Returns the statements that end the sessions and tokens of a user whom the directory deprovisioned. */
export function deprovisionedAccessStatements(user: Member, now: number): Bound[] {
  return accessEndStatements(transitions.deprovision, user, now);
}

/**
 * Returns the statement of the transition `join` at a sign-in. It changes nothing unless the one-time row was consumed.
 * `today` is the start of the day in unix ms.
 */
export function joinStatement(
  source: Source,
  input: Consumption & { email: string; companyId: number; now: number; today: number },
): Bound {
  return joinBySignIn[source](input);
}

export type { InvitationOfAddress, InvitedGroup } from "./invitation.store";

/** Returns the statement that selects the pending or revoked invitation of an address. */
export function selectInvitationOfAddress(companyId: number, email: string): Bound<InvitationOfAddress> {
  return findInvitationOfAddress({ companyId, email });
}

/** Like selectInvitationOfAddress, for the address to which the link with this token hash was sent. */
export function selectInvitationOfRequest(companyId: number, tokenHash: string): Bound<InvitationOfAddress> {
  return findInvitationOfRequest({ companyId, tokenHash });
}

/** Like selectInvitationOfAddress, for the user to whom an account at a provider is linked. */
export function selectInvitationOfIdentity(
  account: Parameters<typeof findInvitationOfIdentity>[0],
): Bound<InvitationOfAddress> {
  return findInvitationOfIdentity(account);
}

/**
 * Returns the statement that updates the group names in memberships. It must run after a change of groups, with the users and
 * groups that the change added or removed.
 */
export function groupNamesStatement(changed: Parameters<typeof refreshGroupNames>[0]): Bound {
  return refreshGroupNames(changed);
}

/** Like groupNamesStatement, for the users with these addresses. */
export function groupNamesOfAddressesStatement(changed: Parameters<typeof refreshGroupNamesOfAddresses>[0]): Bound {
  return refreshGroupNamesOfAddresses(changed);
}

/**
 * Returns the statement with which an import adds people to the company. `allow` gives them access; without it, the join rules
 * decide at their next sign-in.
 */
export function importStatement(
  transition: "add" | "allow",
  input: { companyId: number; people: ImportedMember[]; now: number },
): Bound {
  return importMembers[transition](input);
}

/**
 * Returns the statements with which a sign-in accepts an invitation. They change the membership, add the user to the groups of
 * the invitation (`joined`) with one event per group, store the language, and mark the invitation as accepted. They change
 * nothing unless the one-time row was consumed and the invitation is open.
 */
export function acceptanceStatements(
  source: Source,
  input: Consumption & { email: string; companyId: number; invitationId: string; now: number },
  joined: InvitedGroup[],
): Bound[] {
  const { email, companyId } = input;
  const by = acceptanceBySignIn[source];
  const groups = [
    by.insertGroupEvents({ ...input, joined }),
    by.joinGroups(input),
    by.countGroupUsers(input),
    refreshGroupNamesOfAddresses({ companyId, emails: [email] }),
  ];
  return [
    acceptBySignIn[source](input),
    ...(joined.length === 0 ? [] : groups),
    by.setLanguage(input),
    by.accept(input),
  ];
}

/**
 * Returns the statements that store a rejected sign-in. `created` returns a row only for a new membership. `consumption` is
 * null when the rejection consumes no one-time row.
 */
export function refusalStatements(
  source: Source,
  state: "pending" | "denied",
  { consumption, ...input }: { consumption: Consumption | null; email: string; companyId: number; now: number },
): { created: Bound<{ user_id: number }>; updated: Bound } {
  const { create, update } = refuseBySignIn[state][source];
  const parameters = { ...input, ...(consumption ?? { key: null, nonce: null }) };
  return { created: create(parameters), updated: update(parameters) };
}

/** Returns the statement that inserts the memberships of a new company's owners. It finds the company by its creation event. */
export function ownerMembershipStatement(input: Parameters<typeof insertOwnerMemberships>[0]): Bound {
  return insertOwnerMemberships(input);
}

/** Returns the statements that replace the owners of a company, if all of them are allowed members. */
export function ownershipStatements(input: { companyId: number; owners: number[] }): Bound[] {
  return [addOwners(input), removeOtherOwners(input)];
}

/**
 * Returns the statement that makes an account a member of the company. It changes nothing unless the account is active staff.
 */
export function staffAdmission(input: { email: string; companyId: number; now: number }): Bound {
  return admitStaff(input);
}

/** Returns the statement that selects the companies of an account, and whether the account is the last owner of each. */
export function selectMembershipsOfAccount(email: string) {
  return findMembershipsOfAccount({ email });
}

/**
 * Returns the statements that remove an account from all companies except `companyId` and end its access to `others`.
 * `following` runs directly after the removal. `userId` is null for an account that does not exist yet.
 */
export function leaveStatements(
  { clock }: Pick<IdentityServices, "clock">,
  account: { email: string; userId: number | null; companyId: number; others: readonly number[] },
  following: Bound,
): { removed: Bound; access: Bound[] } {
  const { email, userId, companyId, others } = account;
  const endAccess = (id: number, user: number) =>
    accessEndStatements(transitions.leaveForStaff, { companyId: id, userId: user }, clock.now());
  return {
    removed: followedBy(leaveOtherCompanies({ email, companyId }), following),
    access: userId === null ? [] : others.flatMap((id) => endAccess(id, userId)),
  };
}

/**
 * Removes a membership with its sessions and tokens in one batch. When it was the account's last membership, also expires the
 * account's open sign-in links and deletes the account. The statements of `following` run directly after the removal and must
 * do nothing when `changes()` is 0. `events` are the keys of the events that they insert. Returns `last_owner`, with nothing
 * changed, when the company would have no owner left.
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
      access: accessEndStatements(transitions.remove, member, now),
      invitation: endInvitationOfFormerMember({ ...member, now }),
      links: endSignInRequestsWithoutMembership({ userId, now }),
      account: deleteUserWithoutMembership({ userId }),
      preferences: deleteOrphanedPreferences({ userId }),
      remaining: findMembership(member),
    },
    events,
  );
  return remaining.first === null ? "ended" : "last_owner";
}

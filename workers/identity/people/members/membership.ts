import { type Bound, followedBy } from "../../../kit/db/statement";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-log/new-event";
import type { IdentityServices } from "../../services";
import {
  deleteOrphanedPreferences,
  deletePatsOfStranger,
  deleteSessionsOfStranger,
  deleteUserWithoutMembership,
  endSignInRequestsOfStranger,
  findMembership,
  removeMembership,
  revokePatsOfStranger,
  revokeSessionsOfStranger,
} from "./membership.store";

/** A person in a company. */
export type Member = { companyId: number; userId: number };

/** Statements that end what must not outlive access, to be put behind the statement that takes it away. */
export function revokeAccess({ clock }: Pick<IdentityServices, "clock">, member: Member): Bound[] {
  const now = clock.now();
  return [revokeSessionsOfStranger({ ...member, now }), revokePatsOfStranger({ ...member, now })];
}

/** Statements that delete what goes with a membership, to be put behind its removal: sessions and tokens. */
export function deleteAccess(member: Member): Bound[] {
  return [deleteSessionsOfStranger(member), deletePatsOfStranger(member)];
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
  const { left } = await batchWithEvents(
    services.webhooks,
    services.db,
    {
      removed: followedBy(removeMembership(member), ...behind),
      access: deleteAccess(member),
      links: endSignInRequestsOfStranger({ userId, now: services.clock.now() }),
      account: deleteUserWithoutMembership({ userId }),
      preferences: deleteOrphanedPreferences({ userId }),
      left: findMembership(member),
    },
    events,
  );
  return left.first === null ? "ended" : "last_owner";
}

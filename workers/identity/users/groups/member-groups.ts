import type { GroupOfMember } from "../../../../db/identity/groups";
import { type Bound, followedBy } from "../../../kit/db/statement";
import { invalid } from "../../../kit/problem";
import type { EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { groupNamesStatement } from "../../company/memberships/membership";
import { actorOf } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { listAdminGroups } from "./group.store";
import { countGroupUsers, insertGroupMoves, joinGroups, leaveGroups, type Move } from "./group-change.store";

/**
 * Returns the moves that make `groupIds` the groups of the member. The member stays in groups that the directory manages.
 * Throws 400 `group_ids: [invalid]` for a group that is not of the company or that the directory manages.
 */
export async function planMemberGroups(
  { db, newEventId }: IdentityServices,
  { companyId, present }: { companyId: number; present: readonly GroupOfMember[] },
  groupIds: readonly string[],
): Promise<Move[]> {
  const requested = new Set(groupIds);
  const before = new Set(present.filter(({ source }) => source === "admin").map(({ id }) => id));
  const added = [...requested].filter((id) => !before.has(id));
  const stored = added.length === 0 ? [] : await db.all(listAdminGroups({ companyId, ids: added }));
  if (stored.length < added.length) throw invalid({ group_ids: ["invalid"] });
  const move = (change: Move["change"]) => (group_id: string) => ({ group_id, event_id: newEventId(), change });
  return [
    ...added.map(move("members_added")),
    ...[...before].filter((id) => !requested.has(id)).map(move("members_removed")),
  ];
}

/**
 * Returns the statements that store the moves of a member with their events, and the member's group names. `entries` run
 * directly after the events. Appends the events' keys to `events`.
 */
export function memberGroupStatements(
  { clock }: IdentityServices,
  events: EventKey[],
  { caller, companyId, userId }: { caller: Caller; companyId: number; userId: number },
  moves: Move[],
  entries: readonly Bound[],
): Bound[] {
  if (moves.length === 0) return [];
  const now = clock.now();
  events.push(...moves.map(({ event_id: id }) => ({ id, company_id: companyId })));
  const counted = countGroupUsers({ companyId, moves, now });
  const event = { companyId, userId, moves, callerId: caller.user.id, actor: actorOf(caller), now };
  return [
    joinGroups({ companyId, userId, moves }),
    leaveGroups({ companyId, userId, moves }),
    followedBy(counted, insertGroupMoves(event), ...entries),
    groupNamesStatement({ companyId, userIds: [userId], groupIds: [] }),
  ];
}

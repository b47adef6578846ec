import { nameKeyOf } from "../../../../db/identity/groups";
import type { CompanyRow } from "../../../../db/identity/schema";
import { ConstraintError, type Result } from "../../../kit/db/db";
import { followedBy } from "../../../kit/db/statement";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import {
  changedFieldsOf,
  changeStatements,
  creationStatements,
  type Difference,
  deletionStatements,
  isEmpty,
  type PlannedChange,
  selectMemberCheck,
} from "../../users/groups/group-change";
import type { Reader } from "../protocol/endpoint";
import { badRequest, notUnique, nullIfDeleted } from "../protocol/scim-problem";
import { provisioningEntry } from "../records/provisioning";
import { findGroupByName, findGroupContent, type GroupContent } from "./group.store";
import type { GroupPlan } from "./group-request";

/**
 * Maximum number of attempts of a change. An attempt fails when another request changes the group between the read and the write of
 * the attempt.
 */
const MAX_TRIES = 10;

/** The services and the company whose directory makes a change. */
type Target = { services: IdentityServices; company: CompanyRow };

type MemberCheck = { has_unknown_user: boolean; has_unknown_group: boolean; has_cycle: boolean };

/**
 * Stores a planned change of a group in one batch with its events. Plans again when another request changed the group meanwhile.
 * Returns the stored group, or null after a deletion. Throws 400 `invalidValue` for members from outside the company and for a cycle,
 * 409 `conflict` (uniqueness) for a name that is taken, `limit_reached`, and 409 `conflict` when every attempt failed.
 */
export async function applyPlan(
  target: Target,
  first: GroupPlan,
  planAgain: () => Promise<GroupPlan>,
): Promise<GroupContent | null> {
  let plan = first;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const stored = await store(target, plan);
    if (stored !== "changed_meanwhile") return stored;
    const next = await planAgain().catch(nullIfDeleted(plan));
    if (next === null) return null;
    plan = next;
  }
  throw new Problem("conflict");
}

/** Returns whether the plan changes nothing. */
export const isUnchanged = (plan: GroupPlan): boolean =>
  plan.operation !== "create" &&
  plan.operation !== "delete" &&
  changedFieldsOf(plan.group, plan.change).length === 0 &&
  isEmpty(plan.change.users);

async function store(target: Target, plan: GroupPlan): Promise<GroupContent | "changed_meanwhile" | null> {
  const { services, company } = target;
  const { id } = plan.group;
  const after = findGroupContent({ companyId: company.id, id });
  if (isUnchanged(plan)) {
    const content = await services.db.first(after);
    return content ?? "changed_meanwhile";
  }
  const { statements, events } = statementsOf(target, plan);
  try {
    const results = await batchWithEvents(services.webhooks, services.db, { ...statements, after }, events);
    return outcomeOf(plan, results as unknown as BatchOutcome);
  } catch (error) {
    if (error instanceof ConstraintError) throw nameConflict(plan);
    throw error;
  }
}

function nameConflict(plan: GroupPlan): Problem {
  const display_name = plan.operation === "delete" ? plan.group.display_name : displayNameOf(plan);
  const operation = plan.operation === "create" ? "create_group" : "update_group";
  return notUnique("Another group of the company has this displayName.", { display_name, operation });
}

const displayNameOf = (plan: Exclude<GroupPlan, { operation: "delete" }>) =>
  plan.operation === "create" ? plan.group.displayName : plan.change.displayName;

type BatchOutcome = {
  after: Result<GroupContent>;
  check?: Result<MemberCheck>;
  changed?: { changes: number };
  deleted?: { changes: number };
};

function outcomeOf(plan: GroupPlan, results: BatchOutcome): GroupContent | "changed_meanwhile" | null {
  const content = results.after.first;
  if (plan.operation === "delete") return results.deleted?.changes === 0 ? "changed_meanwhile" : null;
  if (plan.operation === "create" ? content !== null : (results.changed?.changes ?? 0) > 0) return content;
  requireValidMembers(results.check?.first ?? null);
  if (plan.operation === "create") throw new Problem("limit_reached");
  return "changed_meanwhile";
}

function requireValidMembers(check: MemberCheck | null): void {
  if (check?.has_unknown_user) throw badRequest("invalidValue", "members contains a user who is not in the company.");
  if (check?.has_unknown_group)
    throw badRequest("invalidValue", "members contains a group that is not in the company.");
  if (check?.has_cycle) throw badRequest("invalidValue", "members contains a group that contains this group.");
}

/** Returns the statements of a plan and the keys of its events. */
function statementsOf({ services, company }: Target, plan: GroupPlan) {
  const events: EventKey[] = [];
  const companyId = company.id;
  const change = { services, caller: null, companyId };
  const { operation } = plan;
  const resourceId = plan.group.id;
  const entry = provisioningEntry(services, { companyId, operation, type: "Group", nameKey: null, resourceId });
  if (operation === "create") {
    const { inserted, ...rest } = creationStatements(change, events, plan.group);
    return { statements: { inserted: followedBy(inserted, entry), ...rest }, events };
  }
  if (operation === "delete") {
    const { deleted, ...rest } = deletionStatements(change, events, plan);
    return { statements: { deleted: followedBy(deleted, entry), ...rest }, events };
  }
  const { changed, ...rest } = changeStatements(change, events, plan.group, plan.change);
  return { statements: { changed: followedBy(changed, entry), ...rest }, events };
}

/**
 * Checks a plan without storing it. Throws the errors that storing it would throw: 400 `invalidValue` for invalid members, and 409
 * `conflict` (uniqueness) for a name that is taken.
 */
export async function requireStorable(plan: GroupPlan, read: Reader): Promise<void> {
  if (plan.operation === "delete") return;
  const { id } = plan.group;
  const added =
    plan.operation === "create"
      ? { userIds: plan.group.userIds, groupIds: plan.group.groupIds }
      : { userIds: plan.change.users.added, groupIds: plan.change.memberGroups.added };
  const nameKey = nameKeyOf(displayNameOf(plan));
  const { nameHolder, check } = await read((companyId) => ({
    nameHolder: findGroupByName({ companyId, nameKey }),
    check: selectMemberCheck(companyId, { id, ...added }),
  }));
  if (nameHolder.first !== null && nameHolder.first.id !== id) throw nameConflict(plan);
  requireValidMembers(check.first);
}

/** Returns the ids of the members that a group would have after the change. */
export async function readMembersAfter(id: string, { users, memberGroups }: PlannedChange, read: Reader) {
  const { group } = await read((companyId) => ({ group: findGroupContent({ companyId, id }) }));
  const after = <T>(present: readonly T[], { added, removed }: Difference<T>) => {
    const removedIds = new Set(removed);
    return [...present.filter((item) => !removedIds.has(item)), ...added];
  };
  return {
    user_ids: after(group.first?.user_ids ?? [], users),
    group_ids: after(group.first?.group_ids ?? [], memberGroups),
  };
}

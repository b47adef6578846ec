import type { CompanyRow } from "../../../../db/identity/schema";
import type { ScimPreview, ScimPreviewInput } from "../../../../schemas/identity/people/scim";
import { Problem } from "../../problem";
import type { IdentityServices } from "../../services";
import { readMembersAfter, requireStorable } from "../groups/group";
import { presentGroup } from "../groups/group.present";
import { type GroupPlan, planGroupRequest } from "../groups/group-request";
import { baseUrl, type Reader } from "../protocol/endpoint";
import { project } from "../protocol/list";
import { presentScimProblem } from "../protocol/scim-problem";
import { addressOf, type DirectoryUser } from "../users/directory-user";
import type { UserPlan } from "../users/user";
import { presentUser } from "../users/user.present";
import { planUserRequest } from "../users/user-request";

type PlannedChange = ScimPreview["changes"][number];

const PATH = /^\/(Users|Groups)(?:\/([^/?]+))?(?:\?(.*))?$/;

/** What a request is planned with, and the query of its path. */
type Planning = { services: IdentityServices; company: CompanyRow; query: Record<string, string> };

/**
 * Returns the response that a directory would get to a request, and the changes that it would make. Plans the request with the code
 * of the SCIM endpoints and writes nothing.
 */
export async function previewRequest(
  services: IdentityServices,
  company: CompanyRow,
  { method, path, body = {} }: ScimPreviewInput,
): Promise<ScimPreview> {
  const read: Reader = (reads) => services.db.batch(reads(company.id));
  const [, type, id = null, parameters = ""] = PATH.exec(path) ?? [];
  const planning = { services, company, query: Object.fromEntries(new URLSearchParams(parameters)) };
  try {
    if (type === undefined) throw new Problem("not_found");
    if ((id === null) !== (method === "POST")) throw new Problem("method_not_allowed");
    const request = { method, id, body };
    return type === "Users"
      ? previewUser(planning, await planUserRequest(request, read, true))
      : await previewGroup(planning, await planGroupRequest(request, read), read);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, body: shown } = presentScimProblem(error, services.requestId);
    return { status, body: shown, changes: [] };
  }
}

function previewUser({ services, company, query }: Planning, plan: UserPlan): ScimPreview {
  const { before, after, operation } = plan;
  const changes = userChanges(plan);
  if (operation === "delete") return { status: 204, body: null, changes };
  const now = services.clock.now();
  const shown = {
    // An account of other companies looks like a new one.
    id: before?.isMember ? before.id : null,
    user: after,
    groups: before?.groups ?? [],
    created_at: before?.created_at ?? now,
  };
  const body = project(presentUser(baseUrl(services, company), { ...shown, updated_at: now }), query);
  return { status: operation === "create" ? 201 : 200, body, changes };
}

const fieldsOfUser: Record<string, (user: DirectoryUser) => unknown> = {
  first_name: (user) => user.givenName,
  last_name: (user) => user.familyName,
  email: addressOf,
  user_name: (user) => user.userName,
  external_id: (user) => user.externalId,
  display_name: (user) => user.displayName,
  formatted_name: (user) => user.formattedName,
  language: (user) => user.language,
  timezone: (user) => user.timezone,
  emails: (user) => user.email,
};

function userChanges({ before, after, access, fields, operation }: UserPlan): PlannedChange[] {
  const address = addressOf(after);
  const changes: PlannedChange[] = [];
  if (!before?.isMember) changes.push({ change: "add_user", text: `Adds ${address} to the company.` });
  else if (before.revision === null)
    changes.push({ change: "link_user", text: `Lets the directory manage the member ${address}.` });
  for (const field of before?.isMember ? fields : []) {
    const read = fieldsOfUser[field];
    changes.push(...fieldChange(field, read?.(before?.user ?? after) ?? null, read?.(after) ?? null));
  }
  if (access === "provision") changes.push({ change: "give_access", text: `Gives ${address} access to the company.` });
  if (access === "deprovision")
    changes.push({
      change: "end_access",
      text: `Ends the access of ${address}, with all sessions and personal access tokens.`,
    });
  if (operation === "delete")
    changes.push({ change: "remove_from_directory", text: `Removes ${address} from the directory and its groups.` });
  return changes;
}

async function previewGroup(
  { services, company, query }: Planning,
  plan: GroupPlan,
  read: Reader,
): Promise<ScimPreview> {
  await requireStorable(plan, read);
  if (plan.operation === "delete") {
    const text = `Deletes the group ${plan.group.display_name}. Its users keep their access.`;
    return { status: 204, body: null, changes: [{ change: "delete_group", text }] };
  }
  const base = baseUrl(services, company);
  const now = services.clock.now();
  if (plan.operation === "create") {
    const { displayName: display_name, externalId: external_id, userIds: user_ids, groupIds: group_ids } = plan.group;
    const shown = { id: null, display_name, external_id, user_ids, group_ids, created_at: now, updated_at: now };
    const changes: PlannedChange[] = [
      { change: "create_group", text: `Creates the group ${display_name}.` },
      ...moves(display_name, { added: user_ids, removed: [] }, { added: group_ids, removed: [] }),
    ];
    return { status: 201, body: project(presentGroup(base, shown), query), changes };
  }
  const { group, change, operation } = plan;
  const changes: PlannedChange[] = [
    ...fieldChange("display_name", group.display_name, change.displayName),
    ...fieldChange("external_id", group.external_id, change.externalId),
    ...moves(change.displayName, change.users, change.memberGroups),
  ];
  if (operation === "update" && query.attributes === undefined) return { status: 204, body: null, changes };
  const members = await readMembersAfter(group.id, change, read);
  const names = { display_name: change.displayName, external_id: change.externalId, updated_at: now };
  return { status: 200, body: project(presentGroup(base, { ...group, ...names, ...members }), query), changes };
}

function fieldChange(field: string, before: unknown, after: unknown): PlannedChange[] {
  if (before === after) return [];
  const text = `Changes ${field} from ${JSON.stringify(before)} to ${JSON.stringify(after)}.`;
  return [{ change: "set_field", text, field, before, after }];
}

type Moves<T> = { added: readonly T[]; removed: readonly T[] };

function moves(name: string, users: Moves<number>, groups: Moves<string>): PlannedChange[] {
  const move = (change: PlannedChange["change"], verb: string, noun: string, ids: readonly (number | string)[]) => {
    const counted = `${ids.length} ${noun}${ids.length === 1 ? "" : "s"}`;
    const text = `${verb === "add" ? `Adds ${counted} to` : `Removes ${counted} from`} the group ${name}.`;
    return ids.length === 0 ? [] : [{ change, text, ids: ids.map(String) }];
  };
  return [
    ...move("add_users", "add", "user", users.added),
    ...move("remove_users", "remove", "user", users.removed),
    ...move("add_groups", "add", "group", groups.added),
    ...move("remove_groups", "remove", "group", groups.removed),
  ];
}

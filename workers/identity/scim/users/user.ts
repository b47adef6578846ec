import type { GroupOfMember } from "../../../../db/identity/groups";
import type { CompanyRow } from "../../../../db/identity/schema";
import { ConstraintError } from "../../../kit/db/db";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { isTimeZone } from "../../../kit/time";
import { batchWithEvents, type EventKey, storableData } from "../../../kit/webhooks/event-store/new-event";
import {
  deprovisionedAccessStatements,
  directoryChangeStatement,
  groupNamesStatement,
} from "../../company/memberships/membership";
import { Problem } from "../../problem";
import { DIRECTORY_ACTOR } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { newUsernames } from "../../users/profiles/username";
import { conflict, notUnique, nullIfDeleted } from "../protocol/scim-problem";
import { provisioningEntry } from "../records/provisioning";
import { addressOf, type DirectoryUser } from "./directory-user";
import { attributesOf, directoryUserOf } from "./user.present";
import { type Account, findAccount, findUser, findUserByName, type StoredUser } from "./user.store";
import {
  changeAccount,
  changeProfile,
  changeUser,
  countOutOfDirectoryGroups,
  type DirectoryEvent,
  deleteUser,
  insertAccount,
  insertPreferences,
  insertUser,
  insertUserEvents,
  leaveDirectoryGroups,
  requireRevision,
  unlinkProviders,
} from "./user-change.store";

/**
 * Maximum number of attempts of a change. An attempt fails when another request changes the user between the read and the write of
 * the attempt.
 */
const MAX_TRIES = 5;

/** The services and the company whose directory makes a change. */
export type Target = { services: IdentityServices; company: CompanyRow };

/** The account that a change starts from, or null for a new one. `revision` is null if the directory does not manage it yet. */
type Before = {
  id: number;
  email: string;
  revision: string | null;
  /** false for an account of other companies, about which this company must learn nothing */
  isMember: boolean;
  isOwner: boolean;
  user: DirectoryUser;
  groups: readonly GroupOfMember[];
  created_at: number | null;
} | null;

/** A planned change of a user. `fields` are the changed fields by the names that events use. */
export type UserPlan = {
  operation: "create" | "replace" | "update" | "delete";
  before: Before;
  after: DirectoryUser;
  access: "provision" | "deprovision" | null;
  fields: string[];
};

/** What the planner reads about an account: the rights of the directory, and the membership. */
type Rights = Pick<Account, "email" | "is_staff" | "is_shared" | "is_last_owner" | "state">;

/** Returns the statements that select what a creation needs: the user with this name, and the account with the address. */
export function selectForCreation(companyId: number, requested: DirectoryUser) {
  return {
    nameHolder: findUserByName({ companyId, nameKey: nameKeyOf(requested) }),
    account: findAccount({ companyId, email: addressOf(requested) }),
  };
}

/**
 * Plans the creation of a user. An account with the address joins the company, and a user whom the directory deprovisioned gets
 * access again. Throws 409 `conflict` (uniqueness) for a user name or address that another user of the directory has, and
 * `user_shared`.
 */
export function planCreation(
  { nameHolder, account }: { nameHolder: StoredUser | null; account: Account | null },
  requested: DirectoryUser,
): UserPlan {
  const present = nameHolder ?? account;
  const isEnded = present?.state === "denied" && present.state_reason === "scim";
  const isManaged = nameHolder !== null || (account?.revision ?? null) !== null;
  if (isManaged && !isEnded) {
    if (nameHolder !== null) throw notUnique("A user with this userName exists.");
    throw notUnique("Another user has this address.");
  }
  if (nameHolder !== null && account !== null && account.id !== nameHolder.id)
    throw notUnique("Another user has this address.");
  if (present === null)
    return {
      operation: "create",
      before: null,
      after: requested,
      access: requested.isActive ? "provision" : "deprovision",
      fields: [],
    };
  return { ...planOf(present, requested), operation: "create" };
}

/** Plans the change of a stored user. Throws 409 `user_shared` and `last_company_owner`. */
export function planChange(
  stored: StoredUser,
  requested: DirectoryUser,
  operation: "replace" | "update",
  setsActive: boolean,
): UserPlan {
  return { ...planOf(stored, requested, setsActive), operation };
}

/** Plans the deletion of a stored user: the membership ends, and the account remains. Throws 409 `last_company_owner`. */
export function planDeletion(stored: StoredUser): UserPlan {
  const after = { ...directoryUserOf(stored), isActive: false };
  return { ...planOf(stored, after), operation: "delete" };
}

function planOf(present: StoredUser | Account, requested: DirectoryUser, setsActive = true): UserPlan {
  const { user_name, revision } = present;
  const user = user_name === null ? null : directoryUserOf(present as StoredUser);
  const isProtected = present.is_staff || present.is_shared;
  // A directory must be able to end the access of every user, also of one whose new address it cannot store.
  const after =
    setsActive && isProtected && user !== null && !requested.isActive && present.email !== addressOf(requested)
      ? { ...user, isActive: false, email: { value: present.email, type: user.email?.type ?? "work" } }
      : withPresentNames(requested, present);
  const access = setsActive ? accessChangeOf(present, after.isActive) : null;
  const fields = changedFields(present, user, after);
  if (fields.includes("email") && isProtected)
    throw conflict(
      "user_shared",
      "The address of an account that other companies use, or of staff, cannot be changed.",
    );
  requireAllowed(present, access);
  const isOwner = present.is_owner === true;
  return {
    operation: "update",
    before: {
      id: present.id,
      email: present.email,
      revision,
      isMember: present.state !== null,
      isOwner,
      user: user ?? after,
      groups: "groups" in present ? present.groups.filter(({ source }) => source === "scim") : [],
      created_at: present.created_at,
    },
    after,
    access,
    fields,
  };
}

/** Returns the requested user. A member whom the directory links without naming them keeps the names that they have. */
function withPresentNames(requested: DirectoryUser, present: StoredUser | Account): DirectoryUser {
  const isLinked = present.revision === null && present.state !== null;
  if (!isLinked || requested.givenName !== "" || requested.familyName !== "") return requested;
  const { first_name, last_name } = namesOf(present);
  return { ...requested, givenName: first_name, familyName: last_name };
}

/** Returns the names that the company sees. */
const namesOf = ({ first_name, last_name, profile }: StoredUser | Account) => ({ first_name, last_name, ...profile });

/** Returns the change of access that makes a membership active or not, or null when it already is. */
function accessChangeOf(
  { state, state_reason }: Pick<Account, "state" | "state_reason">,
  isActive: boolean,
): UserPlan["access"] {
  if (isActive) return state === "allowed" ? null : "provision";
  return state === "denied" && state_reason === "scim" ? null : "deprovision";
}

function requireAllowed({ email, is_staff, is_last_owner, state }: Rights, access: UserPlan["access"]): void {
  if (access === "provision" && is_staff && state !== "allowed")
    throw conflict("user_shared", "Only a command admits a staff account to a company.");
  if (access === "deprovision" && is_last_owner)
    throw conflict(
      "last_company_owner",
      "The user is the last owner of the company. Make another user an owner first.",
      {
        display_name: email,
        operation: "end_last_owner",
      },
    );
}

/** Returns the names of the fields that differ. The directory attributes of an account that it does not manage yet are new. */
function changedFields(present: StoredUser | Account, user: DirectoryUser | null, after: DirectoryUser): string[] {
  const names = namesOf(present);
  const isSame = (key: "userName" | "externalId" | "displayName" | "formattedName" | "language" | "timezone") =>
    (user?.[key] ?? null) === after[key];
  const differences: [string, boolean][] = [
    ["first_name", names.first_name !== after.givenName],
    ["last_name", names.last_name !== after.familyName],
    ["email", present.email !== addressOf(after)],
    ["user_name", !isSame("userName")],
    ["external_id", !isSame("externalId")],
    ["display_name", !isSame("displayName")],
    ["formatted_name", !isSame("formattedName")],
    ["language", !isSame("language")],
    ["timezone", !isSame("timezone")],
    ["emails", user !== null && JSON.stringify(user.email) !== JSON.stringify(after.email)],
  ];
  return differences.flatMap(([name, isDifferent]) => (isDifferent ? [name] : []));
}

/** Returns whether the plan changes nothing. */
export const isUnchanged = ({ operation, before, access, fields }: UserPlan): boolean =>
  operation !== "delete" && before !== null && before.revision !== null && access === null && fields.length === 0;

/**
 * Plans a change and stores it in one batch with its events. Plans again when another request changed the user meanwhile. Returns
 * the stored user, or null after a deletion. Throws the errors of `plan`, and 409 `conflict` when every attempt failed.
 */
export async function applyPlan(
  target: Target,
  first: UserPlan,
  planAgain: () => Promise<UserPlan>,
): Promise<{ plan: UserPlan; row: StoredUser | null }> {
  let plan = first;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const stored = await store(target, plan);
    if (stored !== null) return { plan, row: stored.row };
    const next = await planAgain().catch(nullIfDeleted(plan));
    if (next === null) return { plan, row: null };
    plan = next;
  }
  throw new Problem("conflict");
}

/** Runs the batch of a plan. Returns null, with nothing changed, if the user is not in the planned state. */
async function store(target: Target, plan: UserPlan): Promise<{ row: StoredUser | null } | null> {
  const { services, company } = target;
  const companyId = company.id;
  if (isUnchanged(plan)) {
    const row = await services.db.first(findUser({ companyId, userId: plan.before?.id ?? 0 }));
    return row && { row };
  }
  const events: EventKey[] = [];
  const statements = statementsOf(target, plan, events);
  try {
    const { row } = await batchWithEvents(
      services.webhooks,
      services.db,
      { statements, row: findUserByName({ companyId, nameKey: nameKeyOf(plan.after) }) },
      events,
    );
    return { row: row.first };
  } catch (error) {
    if (error instanceof ConstraintError) return null;
    throw error;
  }
}

function statementsOf({ services, company }: Target, plan: UserPlan, events: EventKey[]): Bound[] {
  const { before, after, access, fields, operation } = plan;
  const companyId = company.id;
  const now = services.clock.now();
  const email = addressOf(after);
  const nameKey = nameKeyOf(after);
  const revision = uuid();
  const names = { firstName: after.givenName, lastName: after.familyName };
  const directory = {
    companyId,
    userName: after.userName,
    nameKey,
    externalId: after.externalId,
    attributes: attributesOf(after),
    revision,
    now,
    changesAddress: before !== null && fields.includes("email"),
    givesAccess: before !== null && access === "provision",
    endsAccess: before !== null && access === "deprovision",
  };
  const guard = requireRevision({ companyId, nameKey, revision });
  const change = access === null ? [] : [directoryChangeStatement(access, { companyId, email, now })];
  const rest = [
    insertUserEvents({
      companyId,
      email,
      events: eventsOf(plan, events, { companyId, newEventId: services.newEventId }),
      actor: DIRECTORY_ACTOR,
      now,
    }),
    provisioningEntry(services, { companyId, operation, type: "User", nameKey, resourceId: null }),
  ];
  if (before === null) {
    return [
      insertAccount({ companyId, nameKey, revision, email, ...names, ...newUsernames(email), now }),
      insertUser({ ...directory, email }),
      guard,
      ...change,
      ...preferenceStatements(companyId, email, after, now),
      ...rest,
    ];
  }
  const user = { companyId, userId: before.id };
  const hasProfileChange = fields.some((field) => ["first_name", "last_name", "email"].includes(field));
  return [
    before.revision === null
      ? insertUser({ ...directory, email })
      : changeUser({ ...directory, ...user, planned: before.revision }),
    guard,
    // The transition finds the user by the new address. The profile of a linked account needs the membership.
    ...(before.revision === null ? change : []),
    ...(hasProfileChange ? [changeAccount({ ...user, ...names, email, now })] : []),
    ...(fields.includes("email") ? [unlinkProviders({ userId: before.id })] : []),
    ...(before.revision === null ? [] : change),
    ...(hasProfileChange ? [changeProfile({ ...user, ...names })] : []),
    ...(access === "deprovision" ? deprovisionedAccessStatements(user, now) : []),
    ...(before.revision === null ? preferenceStatements(companyId, email, after, now) : []),
    ...rest,
    ...(operation === "delete"
      ? [
          countOutOfDirectoryGroups({ ...user, now }),
          leaveDirectoryGroups(user),
          groupNamesStatement({ companyId, userIds: [before.id], groupIds: [] }),
          deleteUser({ ...user, revision }),
        ]
      : []),
  ];
}

/** Returns the events of a plan, and appends their keys to `keys`. */
function eventsOf(
  { before, after, access, fields, operation }: UserPlan,
  keys: EventKey[],
  { companyId, newEventId }: { companyId: number; newEventId: () => string },
): DirectoryEvent[] {
  const provisioned =
    access === "provision" || (operation === "create" && before !== null && access === null && after.isActive);
  const changed = [
    ...fields,
    ...(access === null ? [] : ["is_active", "access_state"]),
    ...(access === "deprovision" && before?.isOwner ? ["is_company_owner"] : []),
  ];
  const types: [type: string, details: Record<string, unknown>][] = [
    ...(before === null ? [["identity.user.created", {}] as [string, object]] : []),
    ...(before?.isMember && changed.length > 0
      ? [["identity.user.updated", { changed_fields: changed }] as [string, Record<string, unknown>]]
      : []),
    ...(provisioned ? [["identity.scim.user.provisioned", {}] as [string, object]] : []),
    ...(access === "deprovision" && before?.isMember
      ? [["identity.scim.user.deprovisioned", {}] as [string, object]]
      : []),
  ] as [string, Record<string, unknown>][];
  return types.map(([type, details]) => {
    const id = newEventId();
    keys.push({ id, company_id: companyId });
    return { id, type, details: JSON.parse(storableData(details)) as Record<string, unknown> };
  });
}

/** Returns the statement that stores the language and time zone of a user who has chosen none. */
function preferenceStatements(
  companyId: number,
  email: string,
  { language, timezone }: DirectoryUser,
  now: number,
): Bound[] {
  const languageCode = /^(en|fr)\b/i.exec(language ?? "")?.[1]?.toLowerCase();
  const region = timezone !== null && isTimeZone(timezone) ? timezone : undefined;
  if (languageCode === undefined && region === undefined) return [];
  return [insertPreferences({ companyId, email, language: languageCode ?? "en", region: region ?? "UTC", now })];
}

/** Returns the form in which user names are compared. */
export const nameKeyOf = ({ userName }: Pick<DirectoryUser, "userName">): string => userName.toLowerCase();

import { transitions } from "../../../../db/identity/conditions/transitions";
import type { CompanyRow } from "../../../../db/identity/schema";
import type { MemberChange } from "../../../../schemas/identity/people/users";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { DAY_MS, iso } from "../../../kit/time";
import { batchWithEvents, type EventKey } from "../../../kit/webhooks/event-store/new-event";
import type { Caller } from "../../caller/credentials/caller";
import { mailedNameOf } from "../../company/company/company";
import { type AccessChange, accessChangeStatements, endMembership } from "../../company/memberships/membership";
import { attemptMail, queueMailOfChange } from "../../mail/outbox/mail";
import { timeZoneOf } from "../../mail/outbox/mail-time-zone";
import { Problem } from "../../problem";
import { changeEntry, userChangeEntry } from "../../records/audit/event-log";
import type { IdentityServices } from "../../services";
import { memberGroupStatements, planMemberGroups } from "../groups/member-groups";
import { greetedName, nameOrAddress } from "../profiles/company-user";
import { changedProfileFields, readMetadata, requireMetadataFits, storeProfile } from "../profiles/profile";
import { findMember, type MemberRow } from "./member.store";

/** An administrator with their request, the company, and the member they act on. */
export type MemberTarget = { request: Request; caller: Caller; company: CompanyRow; member: MemberRow };

/** Like MemberTarget, with the application origin that the mail to an admitted member links to. */
type ChangeTarget = MemberTarget & { origin: string | null };

/** Returns the member, or null. Throws 403 `forbidden` when a caller who is not staff acts on a staff account. */
export function requireMember(caller: Caller, member: MemberRow | null): MemberRow | null {
  if (member?.is_staff && !caller.isStaff) throw new Problem("forbidden");
  return member;
}

/**
 * Changes names, metadata and access of a member in one batch with its events and mail. Returns the changed member and
 * makes the first attempt to send the mail. Throws 400 `self_not_allowed`, `group_ids: [invalid]` or `data: [too_long]`.
 * Throws 403 `forbidden` when the change would enable a staff account. Throws 409 `last_company_owner`, with nothing
 * changed, when the company would lose its last owner.
 */
export async function changeMember(
  services: IdentityServices,
  target: ChangeTarget,
  change: MemberChange,
): Promise<MemberRow> {
  const { company, member } = target;
  const key = { companyId: company.id, userId: member.id };
  const events: EventKey[] = [];
  const groups = await groupStatements(services, events, target, change.group_ids);
  const accessChange = readAccessChange(target, change);
  const profile = {
    ...(change.first_name === undefined ? {} : { firstName: change.first_name }),
    ...(change.last_name === undefined ? {} : { lastName: change.last_name }),
    ...(change.data === undefined ? {} : { data: readMetadata(change.data) }),
  };
  requireMetadataFits(member, profile.data);
  const mailId = uuid();
  const accessStatements =
    accessChange === null ? [] : await statementsOf(services, events, target, accessChange, mailId);
  const fields = changedProfileFields(member, profile);
  const entries = () => updateEntries(services, events, target, fields);
  const isAllowed = accessChange === null ? null : transitions[accessChange].to.state === "allowed";
  const profileStatements = fields.length === 0 ? [] : await storeProfile(services, key, profile, entries, isAllowed);
  if (accessStatements.length + profileStatements.length + groups.length === 0) return member;
  const batch = { accessStatements, profileStatements, groups, after: findMember(key) };
  const { first: after } = (await batchWithEvents(services.webhooks, services.db, batch, events)).after;
  if (!after) throw new Problem("not_found");
  if (accessChange === "enable" && after.state !== "allowed") throw new Problem("forbidden");
  if (accessChange !== null && accessChange !== "enable" && after.state === "allowed")
    throw new Problem("last_company_owner");
  requireMetadataFits(after, profile.data);
  if (accessChange === "enable") services.waitUntil(attemptMail(services, mailId));
  return after;
}

/** Returns the access change that the body requests, or null when the member already has that access. */
function readAccessChange({ caller, member }: MemberTarget, change: MemberChange): AccessChange | null {
  const removesAccess = change.is_active === false || change.access === "denied";
  if (removesAccess && caller.user.id === member.id) throw new Problem("self_not_allowed");
  if (change.access === "denied") {
    return member.state === "denied" && member.state_reason === "admin" ? null : "deny";
  }
  if (change.is_active === false) return member.state === "allowed" ? "suspend" : null;
  if (change.is_active !== true || member.state === "allowed") return null;
  // Only operator commands may enable a staff account, because its session is valid in every company.
  if (member.is_staff) throw new Problem("forbidden");
  return "enable";
}

/**
 * Returns the statements of an access change with its events. Enabling access also queues a mail; other changes end sessions
 * and tokens.
 */
async function statementsOf(
  services: IdentityServices,
  events: EventKey[],
  target: ChangeTarget,
  accessChange: AccessChange,
  mailId: string,
): Promise<Bound[]> {
  const { caller, company, member } = target;
  const key = { companyId: company.id, userId: member.id };
  const { to, event } = transitions[accessChange];
  const fields = [
    ...((to.state === "allowed") === (member.state === "allowed") ? [] : ["is_active"]),
    ...(to.state === member.state ? ["state_reason"] : ["access_state"]),
    ...(member.state === "allowed" && member.is_owner ? ["is_company_owner"] : []),
  ];
  if (accessChange !== "enable")
    return accessChangeStatements(services, accessChange, key, await updateEntries(services, events, target, fields));
  const enabled = userChangeEntry(services, events, {
    ...key,
    caller,
    type: event,
    source: "admin",
    data: { access_state: to.state },
  });
  const mail = await mailOfAccess(services, target, mailId, services.clock.now());
  const entries = await updateEntries(services, events, target, fields);
  return accessChangeStatements(services, accessChange, key, [enabled, mail, ...entries]);
}

/** Returns the statements that make `groupIds` the groups of the member, with their events. */
async function groupStatements(
  services: IdentityServices,
  events: EventKey[],
  target: MemberTarget,
  groupIds: string[] | undefined,
): Promise<Bound[]> {
  if (groupIds === undefined) return [];
  const { caller, company, member } = target;
  const moves = await planMemberGroups(services, { companyId: company.id, present: member.groups }, groupIds);
  if (moves.length === 0) return [];
  const entries = await updateEntries(services, events, target, ["groups"]);
  return memberGroupStatements(services, events, { caller, companyId: company.id, userId: member.id }, moves, entries);
}

/** Returns the statement that queues the mail that notifies a member of their access. */
function mailOfAccess(
  services: IdentityServices,
  { caller, company, member, origin }: ChangeTarget,
  id: string,
  now: number,
): Promise<Bound> {
  const name = greetedName(member);
  const mail = {
    company_id: company.id,
    template_key: "identity.membership.enabled",
    language: member.language === "fr" ? "fr" : "en",
    idempotency_key: `membership-enabled-${id}`,
    to: [{ email: member.email, user_id: member.id, ...timeZoneOf(member.region) }],
    variables: {
      company_name: mailedNameOf(company),
      ...(name ? { recipient_name: name } : {}),
      actor_name: nameOrAddress(caller.user),
      occurred_at: iso(now),
      ...(origin === null ? {} : { action_url: `${origin}/login`, app_url: `${origin}/login` }),
    },
  };
  return queueMailOfChange(services, { id, mail, now, lifeMs: DAY_MS });
}

/**
 * Removes a member, and deletes the account when it was their last membership. Throws `self_not_allowed` and
 * `last_company_owner`.
 */
export async function removeMember(services: IdentityServices, target: MemberTarget): Promise<void> {
  const { request, caller, company, member } = target;
  if (caller.user.id === member.id) throw new Problem("self_not_allowed");
  const companyId = company.id;
  const key = { companyId, userId: member.id };
  const events: EventKey[] = [];
  const type = transitions.remove.event;
  const deleted = userChangeEntry(services, events, { ...key, caller, type, source: "admin" });
  const data = { member_id: member.id };
  const removed = await changeEntry(services, request, { caller, companyId, type: "identity.member.removed", data });
  const outcome = await endMembership(services, key, [deleted, removed], events);
  if (outcome === "last_owner") throw new Problem("last_company_owner");
}

/**
 * Returns the statements that insert the event of a change and its audit entry. The audit entry also stores the device, which
 * event data must not contain.
 */
async function updateEntries(
  services: IdentityServices,
  events: EventKey[],
  { request, caller, company, member }: MemberTarget,
  fields: string[],
): Promise<Bound[]> {
  const companyId = company.id;
  const event = userChangeEntry(services, events, {
    caller,
    companyId,
    type: "identity.user.updated",
    userId: member.id,
    source: "admin",
    data: { changed_fields: fields },
  });
  const data = { member_id: member.id, changed_fields: fields };
  return [event, await changeEntry(services, request, { caller, companyId, type: "identity.member.updated", data })];
}

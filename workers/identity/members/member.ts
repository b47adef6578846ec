import type { MemberChange } from "../../../schemas/identity/users";
import { seal } from "../../kit/crypto/seal";
import { uuid } from "../../kit/ids";
import { invalid, Problem } from "../../kit/problem";
import { batchWithEvents } from "../../kit/webhooks/event-log/new-event";
import type { CompanyRow } from "../account/person.store";
import { changedProfileFields, profileStatements, readMetadata, requireRoom } from "../account/profile";
import { noteChange, noteUserChange } from "../audit/event-log";
import type { Caller } from "../caller/caller";
import { insertMailOfChange } from "../mail/mail.store";
import type { IdentityServices } from "../services";
import { findMember, type MemberRow } from "./member.store";
import { endMembership, revokeAccess } from "./membership";
import { enableMembership, withdrawMembership } from "./membership.store";

/** An administrator with their request, the company, and the member they act on. */
export type MemberTarget = { request: Request; caller: Caller; company: CompanyRow; member: MemberRow };

const mailLifeMs = 24 * 3_600_000;

/** 404 for somebody who is no member; 403 `forbidden` for an owner who acts on a staff account (details 7.1). */
export function requireMember(caller: Caller, member: MemberRow | undefined): MemberRow {
  if (!member) throw new Problem("not_found");
  if (member.is_staff === 1 && !caller.isStaff) throw new Problem("forbidden");
  return member;
}

/**
 * Changes names, metadata and access of a member in one batch with its events and mail, and answers the member afterwards
 * (details 5, 7.1). `ring` starts the first attempt at the mail. 400 `self_not_allowed`, `group_ids: [invalid]`,
 * `data: [too_long]`; 403 `forbidden` to let a staff account in; 409 `last_company_owner`, with nothing changed.
 */
export async function changeMember(
  services: IdentityServices,
  target: MemberTarget & { origin: string | null },
  change: MemberChange,
  ring: (mailId: string) => void,
): Promise<MemberRow> {
  const { db } = services;
  const { company, member } = target;
  const events: string[] = [];
  const move = readMove(target, change);
  const profile = {
    ...(change.first_name === undefined ? {} : { firstName: change.first_name }),
    ...(change.last_name === undefined ? {} : { lastName: change.last_name }),
    ...(change.data === undefined ? {} : { data: readMetadata(change.data) }),
  };
  requireRoom(member, profile.data);
  const mailId = uuid();
  const statements = move === null ? [] : await moveStatements(services, events, target, move, mailId);
  const fields = changedProfileFields(member, profile);
  if (fields.length > 0) {
    const note = () => noteUpdate(services, events, target, fields);
    const isAllowed = move === null ? null : move === "allowed";
    const key = { companyId: company.id, userId: member.id };
    statements.push(...(await profileStatements(services, key, profile, note, isAllowed)));
  }
  if (statements.length === 0) return member;
  const batch = [...statements, findMember.bind(db, company.id, member.id)];
  const results = await batchWithEvents<MemberRow[]>(services.actions, batch, events);
  const after = results.at(-1)?.results[0];
  if (!after) throw new Problem("not_found");
  if (move === "allowed" && after.state !== "allowed") throw new Problem("forbidden");
  if (move !== null && move !== "allowed" && after.state === "allowed") throw new Problem("last_company_owner");
  requireRoom(after, profile.data);
  if (move === "allowed") ring(mailId);
  return after;
}

/** The state that the change asks for, or null when it asks for none that the member is not in (table of details 5). */
function readMove({ caller, member }: MemberTarget, change: MemberChange): "allowed" | "pending" | "denied" | null {
  if (change.group_ids !== undefined && change.group_ids.length > 0) throw invalid({ group_ids: ["invalid"] });
  const isWithdrawn = change.is_active === false || change.access === "denied";
  if (isWithdrawn && caller.person.id === member.id) throw new Problem("self_not_allowed");
  if (change.access === "denied") {
    return member.state === "denied" && member.state_reason === "admin" ? null : "denied";
  }
  if (change.is_active === false) return member.state === "allowed" ? "pending" : null;
  if (change.is_active !== true || member.state === "allowed") return null;
  // Only commands let a staff account in: its session counts in every company (details 5).
  if (member.is_staff === 1) throw new Problem("forbidden");
  return "allowed";
}

/** The move with its events, and the mail or the end of sessions and tokens. Each stands behind what it follows by `changes()`. */
async function moveStatements(
  services: IdentityServices,
  events: string[],
  target: MemberTarget & { origin: string | null },
  move: "allowed" | "pending" | "denied",
  mailId: string,
): Promise<D1PreparedStatement[]> {
  const { db, clock } = services;
  const { caller, company, member } = target;
  const now = clock.now();
  const fields = [
    ...((move === "allowed") === (member.state === "allowed") ? [] : ["is_active"]),
    ...(move === member.state ? ["state_reason"] : ["access_state"]),
    ...(member.state === "allowed" && member.is_owner === 1 ? ["is_company_owner"] : []),
  ];
  if (move !== "allowed") {
    return [
      withdrawMembership.bind(db, company.id, member.id, move, now),
      ...(await noteUpdate(services, events, target, fields)),
      ...revokeAccess(services, { companyId: company.id, userId: member.id }),
    ];
  }
  const enabled = {
    caller,
    companyId: company.id,
    type: "identity.membership.enabled" as const,
    userId: member.id,
    source: "admin" as const,
    data: { access_state: "allowed" },
  };
  return [
    enableMembership.bind(db, company.id, member.id, now),
    noteUserChange(services, events, enabled),
    await mailOfAccess(services, target, mailId),
    ...(await noteUpdate(services, events, target, fields)),
  ];
}

/** Tells the member that they are let in, by the outbox of sign-in mails. */
async function mailOfAccess(
  services: IdentityServices,
  { company, member, origin }: MemberTarget & { origin: string | null },
  id: string,
): Promise<D1PreparedStatement> {
  const { db, clock, requestId } = services;
  const now = clock.now();
  const mail = {
    company_id: company.id,
    template_key: "identity.membership.enabled",
    language: member.language === "fr" ? "fr" : "en",
    idempotency_key: `membership-enabled-${id}`,
    to: [{ email: member.email, user_id: member.id }],
    variables: { company_name: company.name, ...(origin === null ? {} : { app_url: `${origin}/login` }) },
  };
  const sealed = await seal(JSON.stringify(mail), (await services.keys()).sealing, `identity:mail_outbox:${id}`);
  const { idempotency_key } = mail;
  return insertMailOfChange.bind(
    db,
    id,
    company.id,
    "membership",
    idempotency_key,
    sealed,
    now,
    now + mailLifeMs,
    requestId,
  );
}

/** Removes a member, and the account when it was their last membership (details 7.1). */
export async function removeMember(services: IdentityServices, target: MemberTarget): Promise<void> {
  const { request, caller, company, member } = target;
  if (caller.person.id === member.id) throw new Problem("self_not_allowed");
  const deleted = {
    caller,
    companyId: company.id,
    type: "identity.user.deleted" as const,
    userId: member.id,
    source: "admin" as const,
  };
  const key = { companyId: company.id, userId: member.id };
  const events: string[] = [];
  const notes = [
    noteUserChange(services, events, deleted),
    await noteChange(services, request, {
      caller,
      companyId: company.id,
      type: "identity.member.removed",
      data: { member_id: member.id },
    }),
  ];
  const outcome = await endMembership(services, key, notes, events);
  if (outcome === "last_owner") throw new Problem("last_company_owner");
}

/** The event of a change, and behind it the audit entry: details 11 leave no room in the event's data for the device. */
async function noteUpdate(
  services: IdentityServices,
  events: string[],
  { request, caller, company, member }: MemberTarget,
  fields: string[],
): Promise<D1PreparedStatement[]> {
  const companyId = company.id;
  const event = noteUserChange(services, events, {
    caller,
    companyId,
    type: "identity.user.updated",
    userId: member.id,
    source: "admin",
    data: { changed_fields: fields },
  });
  const data = { member_id: member.id, changed_fields: fields };
  return [event, await noteChange(services, request, { caller, companyId, type: "identity.member.updated", data })];
}

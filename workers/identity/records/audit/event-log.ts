import type { IdentityEventType } from "../../../../schemas/identity/events";
import type { Bound } from "../../../kit/db/statement";
import type { AuditedRuleChange } from "../../../kit/webhooks/api";
import type { EventKey } from "../../../kit/webhooks/event-store/new-event";
import { storableData } from "../../../kit/webhooks/event-store/new-event";
import { auditData, clientContext } from "../../caller/client/client-context";
import type { Caller } from "../../caller/credentials/caller";
import type { IdentityServices } from "../../services";
import {
  insertChangeEvent,
  insertEvent,
  insertRuleEvent,
  insertUserCreatedEvent,
  insertUserEvent,
  insertUserlessChangeEvent,
} from "./event-log.store";

/** Returns the actor in an event's envelope, as JSON. */
export function actorOf(caller: Caller): string {
  return JSON.stringify({ kind: caller.credential.kind, user_id: caller.user.id });
}

/** The actor of a change by the directory of a company (SCIM). */
export const DIRECTORY_ACTOR = JSON.stringify({ kind: "scim" });

/** The actor of a change by the platform or by an operator command. */
export const SYSTEM_ACTOR = JSON.stringify({ kind: "system" });

type EventValues = Parameters<typeof insertEvent>[0];
type RequiredValue = "eventId" | "companyId" | "type" | "email" | "now";

/** Returns the statement that inserts an entry into the event log. Omitted values are null; omitted `data` is `{}`. */
export function eventEntry(
  entry: Pick<EventValues, RequiredValue> & Partial<Omit<EventValues, RequiredValue>> & { type: IdentityEventType },
): Bound {
  return insertEvent({
    userId: null,
    data: "{}",
    actor: null,
    envelope: null,
    outcome: null,
    provider: null,
    isStaff: null,
    country: null,
    city: null,
    timezone: null,
    ...entry,
  });
}

/**
 * Returns the statement that inserts the log-only entry of an administrative change. It must run directly after the statement
 * that makes the change, and inserts nothing when that statement changed nothing. The entry has the actor, the hashed client
 * address, the device and `data` (ids and field names, never secrets).
 */
export async function changeEntry(
  services: IdentityServices,
  request: Request,
  change: { caller: Caller; companyId: number; type: IdentityEventType; data: Record<string, unknown> },
  insert = insertChangeEvent,
): Promise<Bound> {
  const { caller, companyId, type } = change;
  const data = await auditData(services, clientContext(request), change.data);
  const actor = actorOf(caller);
  const entry = { eventId: services.newEventId(), companyId, type, userId: caller.user.id, data, actor };
  return insert({ ...entry, now: services.clock.now() });
}

/** Like changeEntry, for a change by the platform, which has no caller, client address or device. */
export function systemChangeEntry(
  services: IdentityServices,
  { data, ...change }: { companyId: number; type: IdentityEventType; data: Record<string, unknown> },
): Bound {
  const entry = { ...change, data: JSON.stringify(data), eventId: services.newEventId(), actor: SYSTEM_ACTOR };
  return insertUserlessChangeEvent({ ...entry, now: services.clock.now() });
}

/**
 * Like changeEntry, for a webhook subscription. The entry of a new subscription has the id of the row that the preceding
 * statement inserted.
 */
export async function ruleChangeEntry(
  services: IdentityServices,
  request: Request,
  caller: Caller,
  { verb, companyId, data }: AuditedRuleChange,
): Promise<Bound> {
  const type = `identity.action_rule.${verb}` as const;
  const change = { caller, companyId, type, data };
  return changeEntry(services, request, change, verb === "created" ? insertRuleEvent : insertChangeEvent);
}

/**
 * Returns the statement that inserts an event about a user (`identity.user.*`, `identity.membership.*`). It must run directly
 * after the statement that makes the change. Appends the event's key to `events`, which the caller passes to batchWithEvents.
 */
export function userChangeEntry(
  services: IdentityServices,
  events: EventKey[],
  change: {
    caller: Caller;
    companyId: number;
    type: IdentityEventType;
    userId: number;
    source: "admin" | "self";
    data?: Record<string, unknown>;
  },
): Bound {
  const { caller, companyId, type, userId, source, data = {} } = change;
  const eventId = services.newEventId();
  events.push({ id: eventId, company_id: companyId });
  const details = storableData(data);
  const now = services.clock.now();
  return insertUserEvent({ eventId, companyId, type, userId, source, details, actor: actorOf(caller), now });
}

/**
 * Returns the statement that inserts the event of an administrative change. It must run directly after the statement that
 * makes the change, or after the insert of another event of this change. It inserts nothing when that statement changed
 * nothing. Appends the event's key to `events`, which the caller passes to batchWithEvents. `caller` is null for the directory.
 */
export function changeEventEntry(
  services: IdentityServices,
  events: EventKey[],
  change: { caller: Caller | null; companyId: number; type: IdentityEventType; data: Record<string, unknown> },
): Bound {
  const { caller, companyId, type, data } = change;
  const eventId = services.newEventId();
  events.push({ id: eventId, company_id: companyId });
  const entry = { eventId, companyId, type, data: storableData(data), now: services.clock.now() };
  if (caller === null) return insertUserlessChangeEvent({ ...entry, actor: DIRECTORY_ACTOR });
  return insertChangeEvent({ ...entry, userId: caller.user.id, actor: actorOf(caller) });
}

/**
 * Returns the statement that inserts `identity.user.created`. It must run after the statements that create an account and its
 * first membership at `now`, and inserts nothing when they created nothing.
 */
export function userCreatedEntry(entry: {
  eventId: string;
  email: string;
  companyId: number;
  source: string;
  data?: Record<string, unknown>;
  now: number;
}): Bound {
  const { data = {}, ...rest } = entry;
  return insertUserCreatedEvent({ ...rest, details: storableData(data) });
}

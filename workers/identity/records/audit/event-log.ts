import type { IdentityEventType } from "../../../../schemas/identity/events";
import type { Bound } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
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
} from "./event-log.store";

/** Returns the actor of an event's envelope as JSON. */
export function actorOf(caller: Caller): string {
  return JSON.stringify({ kind: caller.credential.kind, user_id: caller.user.id });
}

/** The actor of changes by the platform or a command. */
export const SYSTEM_ACTOR = JSON.stringify({ kind: "system" });

type EventValues = Parameters<typeof insertEvent>[0];
type RequiredValue = "companyId" | "type" | "email" | "now";

/** Statement: inserts an entry into the event log. Missing values are null, missing `data` is `{}`. */
export function eventEntry(
  entry: Pick<EventValues, RequiredValue> & Partial<Omit<EventValues, RequiredValue>> & { type: IdentityEventType },
): Bound {
  return insertEvent({
    eventId: uuid(),
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
 * Statement: the log-only entry of an administrative change, to follow the changing statement directly: actor, hashed
 * address and device, and `data` (ids and field names, never secrets). Nothing is written when nothing changed.
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
  return insert({ eventId: uuid(), companyId, type, userId: caller.user.id, data, actor, now: services.clock.now() });
}

/** Like changeEntry, for a webhook subscription. For a new one the id is that of the row inserted by the statement before. */
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
 * Statement: an event about a user (`identity.user.*`, `identity.membership.*`), to follow the changing statement directly.
 * Its key is added to `events`, for batchWithEvents.
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
  const eventId = uuid();
  events.push({ id: eventId, company_id: companyId });
  const more = storableData(data);
  const now = services.clock.now();
  return insertUserEvent({ eventId, companyId, type, userId, source, more, actor: actorOf(caller), now });
}

/**
 * Statement: `identity.user.created`, after the statements that create an account and its first membership at `now`; nothing
 * when they created none.
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
  return insertUserCreatedEvent({ ...rest, more: storableData(data) });
}

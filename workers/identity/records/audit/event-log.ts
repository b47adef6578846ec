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

/** Who did something, for the envelope of an event. */
export function actorOf(caller: Caller): string {
  return JSON.stringify({ kind: caller.credential.kind, user_id: caller.user.id });
}

/** The actor of what the platform or a command did. */
export const SYSTEM_ACTOR = JSON.stringify({ kind: "system" });

type Known = Parameters<typeof insertEvent>[0];
type Required = "companyId" | "type" | "email" | "now";

/** An entry of the event log whose values are all known, for a batch; what is left out is null, `data` no more than `{}`. */
export function eventEntry(
  entry: Pick<Known, Required> & Partial<Omit<Known, Required>> & { type: IdentityEventType },
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
 * The log-only entry of an administrative change, to be put right behind the statement that makes it: who, from which
 * hashed address and device, and `data` (ids and names of fields, never secrets). Nothing is written when nothing changed.
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

/** As changeEntry, of a webhook rule; the id of a rule that is just made is that of the row which its statement added. */
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
 * An event about a user (`identity.user.*`, `identity.membership.*`), to be put right behind the statement of the change.
 * Its key joins `events`, for batchWithEvents.
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
 * `identity.user.created`, behind the statements that make an account and its first membership at `now`; nothing when they
 * made none.
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

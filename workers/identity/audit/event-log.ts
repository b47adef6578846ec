import type { IdentityEventType } from "../../../schemas/identity/events";
import type { Bound } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { clientIpKey } from "../../kit/limits/client-ip";
import { errorName } from "../../kit/log";
import type { RuleChangeNote } from "../../kit/webhooks/api";
import { storableData } from "../../kit/webhooks/event-log/new-event";
import type { PersonRow } from "../account/person.store";
import type { Caller } from "../caller/caller";
import { auditData, type ClientContext, clientContext } from "../caller/client-context";
import type { SignInRequestRow } from "../magic-link/magic-link.store";
import type { IdentityServices } from "../services";
import { insertChangeEvent, insertEvent, insertRuleEvent, insertUserEvent } from "./event-log.store";

/** Who did something, for the envelope of an event (details 11). */
export function actorOf(caller: Caller): string {
  return JSON.stringify({ kind: caller.credential.kind, user_id: caller.person.id });
}

/**
 * The log-only entry of an administrative change, to be put right behind the statement that makes it: who, from which
 * hashed address and device, and `data` (ids and names of fields, never secrets). Nothing is written when nothing changed.
 */
export async function noteChange(
  services: IdentityServices,
  request: Request,
  change: { caller: Caller; companyId: number; type: IdentityEventType; data: Record<string, unknown> },
  insert = insertChangeEvent,
): Promise<Bound> {
  const { caller, companyId, type } = change;
  const data = await auditData(services, clientContext(request, clientIpKey(request)), change.data);
  const actor = actorOf(caller);
  return insert({ eventId: uuid(), companyId, type, userId: caller.person.id, data, actor, now: services.clock.now() });
}

/** As noteChange, of a webhook rule; the id of a rule that is just made is that of the row which its statement added. */
export async function noteRuleChange(
  services: IdentityServices,
  request: Request,
  caller: Caller,
  { verb, companyId, data }: RuleChangeNote,
): Promise<Bound> {
  const type = `identity.action_rule.${verb}` as const;
  const change = { caller, companyId, type, data };
  return noteChange(services, request, change, verb === "created" ? insertRuleEvent : insertChangeEvent);
}

/**
 * An event about a user (`identity.user.*`, `identity.membership.*`), to be put right behind the statement of the change.
 * Its id joins `events`, for batchWithEvents.
 */
export function noteUserChange(
  services: IdentityServices,
  events: string[],
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
  events.push(eventId);
  const more = storableData(data);
  const now = services.clock.now();
  return insertUserEvent({ eventId, companyId, type, userId, source, more, actor: actorOf(caller), now });
}

/** What was known of a sign-in before it was refused. */
type Attempt = Partial<Pick<SignInRequestRow, "email" | "client_timezone" | "device_hash">>;

/** The attempt behind kept audit data, such as that of an auth code. */
export function readAttempt(auditJson: string): Attempt {
  const { client_timezone: zone, client_device_id_hash: device }: Record<string, unknown> = JSON.parse(auditJson);
  return {
    ...(typeof zone === "string" ? { client_timezone: zone } : {}),
    ...(typeof device === "string" ? { device_hash: device } : {}),
  };
}

/**
 * Writes the log-only entry of a refused sign-in after the answer (details 11): the reason is the error code. Nothing is
 * written for an unknown company, because an entry without a company is for staff alone.
 */
export function recordFailure(
  services: IdentityServices,
  client: ClientContext,
  failure: {
    company: { id: number } | null;
    person: Pick<PersonRow, "id" | "email" | "is_staff"> | null;
    request?: Attempt | null;
    reason: string;
    provider: string;
  },
): void {
  const { company, person, request: attempt, reason, provider } = failure;
  if (!company) return;
  const zone = attempt?.client_timezone ?? null;
  const write = async () => {
    const { db, clock } = services;
    const data = await auditData(services, client, {
      provider,
      failure_reason: reason,
      is_staff_at_event: person?.is_staff ?? null,
      client_timezone: zone,
      client_device_id_hash: attempt?.device_hash ?? null,
    });
    await db.run(
      insertEvent({
        eventId: uuid(),
        companyId: company.id,
        type: "identity.auth.login.failed",
        userId: person?.id ?? null,
        email: person?.email ?? attempt?.email ?? null,
        data,
        actor: null,
        outcome: "failure",
        provider,
        isStaff: person?.is_staff ?? null,
        country: client.country,
        city: client.city,
        timezone: zone,
        now: clock.now(),
      }),
    );
  };
  services.waitUntil(
    write().catch((error: unknown) => services.log.error("refusal was not noted", { reason, cause: errorName(error) })),
  );
}

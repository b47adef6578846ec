import { uuid } from "../../kit/ids";
import { clientIpKey } from "../../kit/limits/client-ip";
import type { IdentityServices } from "../services";
import { insertChangeEvent, insertUserEvent } from "../store/event-log";
import type { Caller } from "./caller";
import { auditData, clientContext } from "./consume";

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
  change: { caller: Caller; companyId: number; type: string; data: Record<string, unknown> },
): Promise<D1PreparedStatement> {
  const { db, clock } = services;
  const { caller, companyId, type } = change;
  const data = await auditData(services, clientContext(request, clientIpKey(request)), change.data);
  return insertChangeEvent.bind(db, uuid(), companyId, type, caller.person.id, data, actorOf(caller), clock.now());
}

/** An event about a user (`identity.user.*`, `identity.membership.*`), to be put right behind the statement of the change. */
export function noteUserChange(
  services: IdentityServices,
  change: {
    caller: Caller;
    companyId: number;
    type: string;
    userId: number;
    source: "admin" | "self";
    data?: Record<string, unknown>;
  },
): D1PreparedStatement {
  const { db, clock } = services;
  const { caller, companyId, type, userId, source, data = {} } = change;
  const more = JSON.stringify(data);
  return insertUserEvent.bind(db, uuid(), companyId, type, userId, source, more, actorOf(caller), clock.now());
}

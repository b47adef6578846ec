import type { AccessRow } from "../../../db/hosting/schema";
import { actorOf, changeEntry } from "../../kit/audit/audit";
import { followedBy } from "../../kit/db/statement";
import { uuid } from "../../kit/ids";
import { batchWithEvents, storableData } from "../../kit/webhooks/event-store/new-event";
import { type Actor, eventActor, type UserActor } from "../../kit/webhooks/events/event-actor";
import { Problem } from "../problem";
import type { HostingServices } from "../services";
import { addDecisionEvent, decideAccess, findAccess, requestAccess } from "./access.store";

export { findAccess } from "./access.store";

/** Throws 403 `hosting_access_denied` unless staff approved the company. */
export function requireAccess({ settings }: Pick<HostingServices, "settings">, row: AccessRow | null): void {
  if (settings.debug && settings.limits.isOpen) return;
  if (row?.status !== "approved") throw new Problem("hosting_access_denied");
}

/** Asks staff for permission to host apps. Returns the current state: an approved company stays approved. */
export async function askForAccess(
  { clock, dbOf }: HostingServices,
  companyId: number,
  caller: UserActor,
): Promise<AccessRow | null> {
  const now = clock.now();
  const entry = { actor: actorOf(caller), companyId, action: "hosting_access.requested", target: targetOf(companyId) };
  const { access } = await dbOf(companyId).batch({
    requested: followedBy(requestAccess({ companyId, userId: caller.userId, now }), changeEntry({ ...entry, now })),
    access: findAccess({ companyId }),
  });
  return access.first;
}

/** A decision of staff about a company. */
type Decision = { companyId: number; status: "approved" | "denied"; notes: string };

/** Stores a decision of staff, with its event when the status changes. Returns the new state. */
export async function decide(
  { clock, dbOf, webhooks }: HostingServices,
  { companyId, status, notes }: Decision,
  actor: Actor,
): Promise<AccessRow | null> {
  const now = clock.now();
  const eventId = uuid();
  const type = "hosting.access.changed";
  const data = storableData({ company_id: companyId, status, previous_status: "none" });
  const entry = { actor: actorOf(actor), companyId, action: `hosting_access.${status}`, target: targetOf(companyId) };
  const { access } = await batchWithEvents(
    webhooks,
    dbOf(companyId),
    {
      event: addDecisionEvent({ eventId, companyId, type, data, status, now, ...eventActor(actor) }),
      decided: followedBy(
        decideAccess({ companyId, status, notes, userId: actor.userId, now }),
        changeEntry({ ...entry, now }),
      ),
      access: findAccess({ companyId }),
    },
    [{ id: eventId, company_id: companyId }],
  );
  return access.first;
}

const targetOf = (companyId: number) => `company:${companyId}`;

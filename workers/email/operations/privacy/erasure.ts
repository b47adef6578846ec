import type { AuditActor } from "../../../../db/kit/audit";
import { maskAddress } from "../../../../schemas/text/address";
import { type Db, dbOfScope } from "../../../kit/db/db";
import { messageId } from "../../../kit/ids";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { SECOND_MS } from "../../../kit/time";
import { enqueueErasures } from "../../delivery/queue/lane-message";
import { forgetRecipient, listedAddresses } from "../../intake/rules/erased-recipient";
import { hashAddress } from "../../records/seal/address";
import { maskEvent } from "../../records/webhooks/event-seal";
import type { EmailServices } from "../../services";
import { continueErasure, type ErasureStep, findLateErasures, startErasure, storeMasked } from "./erasure.store";

/** An erasure that a caller may ask for. */
export type ErasureRequest = { companyId: number; address: string; actor: AuditActor };

/** What an erasure came to. `openId`: the erasure, when messages are left for queue steps. */
export type Erased = { messages: number; masked: string; openId: string | null };

/** How long an erasure may take before its doorbell counts as lost. */
const LATE_MS = 30 * SECOND_MS;

/**
 * Removes what is kept of the address in the company, found by hash. Suppressions, unsubscribes and roll-ups stay, and
 * stored idempotency answers hold the masked form only.
 */
export async function eraseAddress(services: EmailServices, request: ErasureRequest): Promise<Erased> {
  const { companyId, address, actor } = request;
  const { peppers } = await services.keys();
  const hashes = await Promise.all(peppers.map((pepper) => hashAddress(pepper, address)));
  const id = messageId().slice("msg_".length);
  const now = services.clock.now();
  const windowStart = now - services.settings.idempotencyMs;
  const erasure = { id, companyId, hashes, now, windowStart };
  const db = services.dbOf(companyId);
  const { messages, lists, ...step } = await startErasure(db, erasure, actor, listedAddresses(companyId));
  // Who dies before this is done is answered nothing: their repeat finds the lists again.
  await forgetRecipient(services, { companyId, address }, lists);
  const hasMore = await maskEvents(services, db, id, step);
  services.log.note({ company_id: companyId, erased_messages: messages, is_more_left: hasMore });
  return { messages, masked: maskAddress(address), openId: hasMore ? id : null };
}

/** The next step of each erasure, and a ring for those that have more. */
export async function eraseNext(services: EmailServices, rows: readonly CompanyRow[]): Promise<void> {
  const unfinished: CompanyRow[] = [];
  const windowStart = services.clock.now() - services.settings.idempotencyMs;
  for (const row of new Map(rows.map((one) => [one.id, one])).values()) {
    const db = dbOfScope(services, row.company_id);
    const step = await continueErasure(db, row.id, windowStart);
    if (await maskEvents(services, db, row.id, step)) unfinished.push(row);
  }
  if (unfinished.length > 0) await enqueueErasures(services, unfinished);
}

/** Each minute: rings for erasures that are not done. */
export async function enqueueLateErasures(services: EmailServices): Promise<void> {
  const late = await services.platformDb.all(findLateErasures({ before: services.clock.now() - LATE_MS }));
  if (late.length === 0) return;
  await enqueueErasures(services, late);
  services.log.note({ erasures_rung: late.length });
}

/** Masks the address in the events that a step has found; whether there is anything for a further step. */
async function maskEvents(
  services: EmailServices,
  db: Db,
  id: string,
  { events, hasMore }: ErasureStep,
): Promise<boolean> {
  if (events.length === 0) return hasMore;
  const keys = await services.keys();
  return storeMasked(db, id, await Promise.all(events.map((event) => maskEvent(event, keys))));
}

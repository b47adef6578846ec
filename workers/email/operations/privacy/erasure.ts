import type { AuditActor } from "../../../../db/kit/audit";
import { maskAddress } from "../../../../schemas/text/address";
import { type Db, dbOfScope } from "../../../kit/db/db";
import { messageId } from "../../../kit/ids";
import type { CompanyRow } from "../../../kit/outbox/queue-message";
import { SECOND_MS } from "../../../kit/time";
import { enqueueErasures } from "../../delivery/queue/lane-message";
import { listedAddresses, removeRecipient } from "../../intake/rules/erased-recipient";
import { hashAddress } from "../../records/seal/address";
import { maskEvent } from "../../records/webhooks/event-seal";
import type { EmailServices } from "../../services";
import { removeFromAudiences } from "./erased-audience";
import { continueErasure, type ErasureStep, findLateErasures, startErasure, storeMasked } from "./erasure.store";

/** A request for an erasure, after authorization. */
export type ErasureRequest = { companyId: number; address: string; actor: AuditActor };

/** The result of an erasure. `openId` is the id of the erasure when the queue has to continue it, else null. */
export type Erased = { messages: number; masked: string; openId: string | null };

/** After this time, the queue message of an erasure is considered lost. */
const LATE_MS = 30 * SECOND_MS;

/**
 * Deletes a company's data about an address. The data is found by the hash of the address. Suppressions, unsubscribes and
 * roll-ups are kept. Stored idempotent responses are kept too; they contain only the masked address.
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
  const { messages, lists, listing, ...step } = await startErasure(db, erasure, actor, listedAddresses(companyId));
  // If the Worker crashes here, the caller gets no response and repeats the request, which reads the lists again.
  await removeFromAudiences(services, { companyId, address, hashes }, listing);
  await removeRecipient(services, { companyId, address }, lists);
  const hasMore = await maskEvents(services, db, id, step);
  services.log.note({ company_id: companyId, erased_messages: messages, is_more_left: hasMore });
  return { messages, masked: maskAddress(address), openId: hasMore ? id : null };
}

/** Runs the next step of each erasure. Enqueues the erasures that need another step. */
export async function eraseNext(services: EmailServices, rows: readonly CompanyRow[]): Promise<void> {
  const unfinished: CompanyRow[] = [];
  const windowStart = services.clock.now() - services.settings.idempotencyMs;
  for (const row of new Map(rows.map((erasure) => [erasure.id, erasure])).values()) {
    const db = dbOfScope(services, row.company_id);
    const step = await continueErasure(db, row.id, windowStart);
    if (await maskEvents(services, db, row.id, step)) unfinished.push(row);
  }
  if (unfinished.length > 0) await enqueueErasures(services, unfinished);
}

/** Enqueues the erasures whose queue message was lost. Called by the sweep every minute. */
export async function enqueueLateErasures(services: EmailServices): Promise<void> {
  const late = await services.platformDb.all(findLateErasures({ before: services.clock.now() - LATE_MS }));
  if (late.length === 0) return;
  await enqueueErasures(services, late);
  services.log.note({ erasures_rung: late.length });
}

/** Masks the address in the events of a step. Returns whether another step is needed. */
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

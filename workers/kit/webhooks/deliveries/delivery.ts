import type { RuleRow } from "../../../../db/kit/webhooks";
import { followedBy } from "../../db/statement";
import { uuid } from "../../ids";
import { invalid, Problem } from "../../problem";
import type { WebhookScope } from "../api";
import type { WebhooksContext } from "../context";
import { enqueueFirstAttempts } from "../dispatch/first-attempt";
import type { EventRow } from "../event-log/event-log";
import { ruleRead } from "../subscriptions/subscription";
import {
  deliveryListRead,
  type FoundDelivery,
  findDelivery,
  LISTED_ATTEMPTS,
  type ListedDelivery,
} from "./delivery.store";
import { requeueDelivery, requeueOfRule } from "./requeue.store";

/** How the service keeps the audit entry of a use. */
type Audit = Pick<WebhookScope, "auditUse">;

/** How long a first attempt may stay away before a retry run takes it over. */
const DOORBELL_MS = 30_000;

/** The read of a page of a company's deliveries, newest first. */
export const deliveriesRead = deliveryListRead;

/** The read of a delivery (null: none) of any company. */
export const deliveryRead = (id: string | null) => findDelivery({ id, company: null });

/**
 * Sends a delivery again by the next retry run, and answers it as a list shows it; 409 `rule_deleted`,
 * `delivery_not_requeueable`.
 */
export async function requeue(
  { db, clock }: WebhooksContext,
  { id, company_id: companyId }: FoundDelivery,
  { auditUse }: Audit,
): Promise<ListedDelivery> {
  const entries = auditUse ? [await auditUse({ verb: "delivery.requeued", companyId, data: { delivery_id: id } })] : [];
  const { isRequeued, row } = await requeueDelivery(db, id, clock.now(), entries);
  if (row === null) throw new Problem("not_found");
  if (isRequeued) return { ...row, attempts: row.attempts.slice(0, LISTED_ATTEMPTS) };
  throw new Problem(row.rule_enabled === null ? "rule_deleted" : "delivery_not_requeueable");
}

/**
 * A new delivery of a stored event for a rule of the same company and type: 400 `action_rule_id: [mismatch]`, 409
 * `conflict` when the rule has one of it, or the event was kept without its envelope.
 */
export async function replay(
  context: WebhooksContext,
  event: EventRow,
  ruleId: number,
  { auditUse }: Audit,
): Promise<FoundDelivery> {
  const { db, clock, outbox } = context;
  const { company_id: company } = event;
  const id = uuid();
  const now = clock.now();
  const data = { delivery_id: id, event_id: event.id, rule_id: ruleId };
  const entries = auditUse ? [await auditUse({ verb: "event.replayed", companyId: company, data })] : [];
  const { rule, made } = await db.batch({
    rule: ruleRead(ruleId, company),
    added: followedBy(
      outbox.addReplay({ id, company, event: event.id, rule: ruleId, now, due: now + DOORBELL_MS }),
      ...entries,
    ),
    made: findDelivery({ id, company }),
  });
  if (rule.first?.event_type !== event.event_type) throw invalid({ action_rule_id: ["mismatch"] });
  if (made.first === null) throw new Problem("conflict");
  await enqueueFirstAttempts(context, [id]);
  return made.first;
}

/** Sends deliveries of a rule again, made in a time of unix ms, the oldest first, at most 20,000. */
export async function requeueAll(
  { db, clock }: WebhooksContext,
  { id, company_id: companyId }: RuleRow,
  chosen: Parameters<typeof requeueOfRule>[2],
  { auditUse }: Audit,
) {
  const data = { rule_id: id, status: chosen.status };
  const entries = auditUse ? [await auditUse({ verb: "rule.requeued", companyId, data })] : [];
  return requeueOfRule(db, id, chosen, clock.now(), entries);
}

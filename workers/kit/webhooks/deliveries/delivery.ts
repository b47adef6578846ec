import { uuid } from "../../ids";
import { invalid, Problem } from "../../problem";
import type { ActionsContext } from "../context";
import type { EventRow } from "../event-log/event-log.store";
import { ring } from "../event-log/new-event";
import { findRule, type RuleRow } from "../subscriptions/subscription.store";
import { type FoundDelivery, findDelivery } from "./delivery.store";
import { insertReplay } from "./replay.store";
import { requeueDelivery } from "./requeue.store";

/** Sends a delivery again by the next retry run (details of Document 3, 4.3); 409 `rule_deleted`, `delivery_not_requeueable`. */
export async function requeue({ db, clock }: ActionsContext, id: string): Promise<FoundDelivery> {
  const { isRequeued, row } = await requeueDelivery(db, id, clock.now());
  if (row === null) throw new Problem("not_found");
  if (isRequeued) return row;
  throw new Problem(row.rule_enabled === null ? "rule_deleted" : "delivery_not_requeueable");
}

/**
 * A new delivery of a stored event for a rule of the same company and type (details of Document 3, 4.9): 400
 * `action_rule_id: [mismatch]`, 409 `conflict` when the rule has one of it, or the event was kept without its envelope.
 */
export async function replay(context: ActionsContext, event: EventRow, ruleId: number): Promise<FoundDelivery> {
  const { db, clock } = context;
  const id = uuid();
  const [rule, , made] = await db.batch<[RuleRow, unknown, FoundDelivery]>([
    findRule(db, event.company_id ?? 0, ruleId),
    insertReplay(context, { id, eventLogId: event.id, ruleId }, clock.now()),
    findDelivery(db, event.company_id, id),
  ]);
  if (rule.results[0]?.event_type !== event.event_type) throw invalid({ action_rule_id: ["mismatch"] });
  const delivery = made.results[0];
  if (!delivery) throw new Problem("conflict");
  await ring(context, [id]);
  return delivery;
}

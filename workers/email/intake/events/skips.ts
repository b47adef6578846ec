import type { DecisionRow } from "../../../../db/email/rows";
import type { SkippedReason } from "../../../../schemas/email/intake/ingest";
import type { Bound } from "../../../kit/db/statement";
import { messageId } from "../../../kit/ids";
import type { SubmitContext } from "../submission/submission";
import { storeSkips } from "./skips.store";

/** The reason why a rule or an event created no message. `recipient` is set when the reason concerns one address. */
export type Skip = Pick<DecisionRow, "reason" | "rule_id"> & {
  recipient?: Pick<DecisionRow, "recipient_masked" | "email_hmac">;
};

const NO_RECIPIENT = { recipient_masked: null, email_hmac: null };

/**
 * Returns the statements that store the skips of an event. `reason` is set when the event has no rule or no recipients; the
 * event is then counted as skipped. `reason` is null when the event created messages or every recipient is suppressed.
 */
export function skipStatements(
  { origin, event }: Pick<SubmitContext, "origin" | "event">,
  requestId: string,
  { skips, reason: eventReason }: { skips: readonly Skip[]; reason: SkippedReason | null },
): Bound[] {
  const { companyId, now } = origin;
  const { service, event_type } = event;
  const decisions = skips.map(({ recipient = NO_RECIPIENT, reason, rule_id }, index) => ({
    company_id: companyId,
    id: messageId().slice("msg_".length),
    service,
    event_type,
    reason,
    rule_id,
    ...recipient,
    request_id: requestId,
    created_at: now,
    is_skip: eventReason !== null && index === 0,
  }));
  const day = new Date(now).toISOString().slice(0, 10);
  const counted =
    eventReason === null
      ? null
      : { company_id: companyId, day, lane: event.lane_class, event_type, reason: eventReason };
  return storeSkips(decisions, counted);
}

import type { DecisionRow } from "../../../../db/email/rows";
import type { SkippedReason } from "../../../../schemas/email/intake/ingest";
import type { Bound } from "../../../kit/db/statement";
import { messageId } from "../../../kit/ids";
import type { SubmitContext } from "../submission/submission";
import { storeSkips } from "./skips.store";

/** Why one rule made no message, or an event found no rule; `recipient` where it is one address that gets none. */
export type Skip = Pick<DecisionRow, "reason" | "rule_id"> & {
  recipient?: Pick<DecisionRow, "recipient_masked" | "email_hmac">;
};

const NOBODY = { recipient_masked: null, email_hmac: null };

/**
 * The statements that store what an event made no message of. `reason`: why it made none at all; null: it made some, or
 * every recipient is suppressed. The first decision counts an event that made no message at all.
 */
export function skipStatements(
  { origin, event }: Pick<SubmitContext, "origin" | "event">,
  requestId: string,
  { skips, reason: whole }: { skips: readonly Skip[]; reason: SkippedReason | null },
): Bound[] {
  const { companyId, now } = origin;
  const { service, event_type } = event;
  const decisions = skips.map(({ recipient = NOBODY, reason, rule_id }, index) => ({
    company_id: companyId,
    id: messageId().slice("msg_".length),
    service,
    event_type,
    reason,
    rule_id,
    ...recipient,
    request_id: requestId,
    created_at: now,
    is_skip: whole !== null && index === 0,
  }));
  const day = new Date(now).toISOString().slice(0, 10);
  const counted =
    whole === null ? null : { company_id: companyId, day, lane: event.lane_class, event_type, reason: whole };
  return storeSkips(decisions, counted);
}

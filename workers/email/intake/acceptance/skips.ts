import type { DecisionRow } from "../../../../db/email/rows";
import type { SkippedReason } from "../../../../schemas/email/ingest";
import { messageId } from "../../../kit/ids";
import type { SubmitContext } from "./submission";

/** What an event made no message of. `reason`: why it made none at all; null: it made some, or every recipient is suppressed. */
export type Skips = { decisions: readonly DecisionRow[]; reason: SkippedReason | null };

/** Why one rule made no message, or an event found no rule; `recipient` where it is one address that gets none. */
export type Skip = Pick<DecisionRow, "reason" | "rule_id"> & {
  recipient?: Pick<DecisionRow, "recipient_masked" | "email_hmac">;
};

const NOBODY = { recipient_masked: null, email_hmac: null };

/** The decisions of an event as they are stored. The first stands for an event that made no message at all (`reason`). */
export function toSkips(
  { companyId, event, now }: Pick<SubmitContext, "companyId" | "event" | "now">,
  requestId: string,
  { skips, reason: whole }: { skips: readonly Skip[]; reason: Skips["reason"] },
): Skips {
  const decisions = skips.map(({ recipient = NOBODY, reason, rule_id }, index) => ({
    ...{ company_id: companyId, id: messageId().slice("msg_".length), service: event.service },
    ...{ event_type: event.event_type, reason, rule_id, ...recipient, request_id: requestId, created_at: now },
    is_skip: whole !== null && index === 0,
  }));
  return { decisions, reason: whole };
}

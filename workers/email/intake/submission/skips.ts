import type { DecisionRow } from "../../../../db/email/rows";
import type { RefusalReason, SkipReason } from "../../../../schemas/email/delivery/stats";
import { REFUSAL_REASONS } from "../../../../schemas/email/delivery/stats";
import { maskAddress } from "../../../../schemas/text/address";
import type { Bound } from "../../../kit/db/statement";
import { messageId } from "../../../kit/ids";
import { hashesOf } from "./people";
import { type SkipCount, storeSkips } from "./skips.store";
import type { SubmitContext } from "./submission";

/**
 * The reason why a rule, an event or an item of a batch created no message. `recipient` is set when the reason concerns one
 * address.
 */
export type Skip = Pick<DecisionRow, "reason" | "rule_id"> & {
  recipient?: Pick<DecisionRow, "recipient_masked" | "email_hmac">;
};

const NO_RECIPIENT = { recipient_masked: null, email_hmac: null };

/** Returns the skip of an address that must not get mail. `ruleId` is null for an item of a batch. */
export function refusedRecipient(
  context: SubmitContext,
  { email, reason, ruleId }: { email: string; reason: RefusalReason; ruleId: number | null },
): Skip {
  const recipient = { recipient_masked: maskAddress(email), email_hmac: hashesOf(context, email).address };
  return { reason, rule_id: ruleId, recipient };
}

/** Returns the number of refused recipients by reason, without reasons that do not occur. */
export function countRefusals(skips: readonly Skip[]): { reason: RefusalReason; count: number }[] {
  return REFUSAL_REASONS.map((reason) => ({
    reason,
    count: skips.filter((skip) => skip.reason === reason).length,
  })).filter(({ count }) => count > 0);
}

/**
 * Returns the statements that store the skips of a request and count them for the statistics. `reason` is set when an event has
 * no rule or no recipients; the event is then counted once. Refused recipients are each counted by their reason.
 */
export function skipStatements(
  { origin, event }: Pick<SubmitContext, "origin" | "event">,
  requestId: string,
  { skips, reason: eventReason }: { skips: readonly Skip[]; reason: SkipReason | null },
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
  const shared = {
    company_id: companyId,
    day: new Date(now).toISOString().slice(0, 10),
    lane: event.lane_class,
    event_type,
  };
  const countOf = (reason: SkipCount["reason"], n: number, fits: (row: DecisionRow) => boolean): SkipCount[] => {
    const first = decisions.find(fits);
    return first === undefined ? [] : [{ ...shared, reason, n, decision: first.id }];
  };
  return storeSkips(decisions, [
    ...(eventReason === null ? [] : countOf(eventReason, 1, () => true)),
    ...countRefusals(skips).flatMap(({ reason, count }) => countOf(reason, count, (row) => row.reason === reason)),
  ]);
}

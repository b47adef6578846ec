import type { DecisionRow } from "../../../../db/email/rows";
import { DECISION_REASONS } from "../../../../schemas/email/intake/decisions";
import { readSpan } from "../../../kit/http/request/instant";
import { hexBefore } from "../../../kit/ids";
import { invalid } from "../../../kit/problem";
import { type RequestedEvent, requestedEvent } from "../../content/event-types/own-event";
import { Problem } from "../../problem";

/** The filters of a list of decisions. The id bounds express a time range, because ids begin with their creation time. */
export type DecisionFilter = Record<"fromId" | "untilId", string> & {
  event: RequestedEvent | null;
  reason: DecisionRow["reason"] | null;
};

type Query = { [name in "event_type" | "reason" | "from" | "to"]?: string | undefined };

/**
 * Reads the filters of a list of decisions. Throws 400 with `invalid` for an unknown reason or a malformed time. Throws
 * `out_of_range` when `from` is not before `to`, and `event_unknown` for an event type that neither the platform nor a company
 * can have.
 */
export function readDecisionFilter(query: Query): DecisionFilter {
  const { from, until, errors: fields } = readSpan(query);
  const reason = DECISION_REASONS.find((allowed) => allowed === query.reason) ?? null;
  if (query.reason !== undefined && reason === null) fields.reason = ["invalid"];
  if (Object.keys(fields).length > 0) throw invalid(fields);
  const event = query.event_type === undefined ? null : requestedEvent(query.event_type);
  if (query.event_type !== undefined && event === null) throw new Problem("event_unknown");
  return { fromId: hexBefore(from), untilId: hexBefore(until), event, reason };
}

import type { DecisionRow } from "../../../db/email/rows";
import { findEvent } from "../../../schemas/email/catalog";
import { DECISION_REASONS } from "../../../schemas/email/decisions";
import type { FieldErrors } from "../../../schemas/errors";
import { readInstant } from "../../kit/http/request/instant";
import { invalid } from "../../kit/problem";
import { DAY_MS } from "../../kit/time";
import { Problem } from "../problem";

/** Which decisions a list holds; ids begin with their time. */
export type DecisionFilter = Record<"fromId" | "untilId", string> & {
  eventType: string | null;
  reason: DecisionRow["reason"] | null;
};

type Query = { [name in "event_type" | "reason" | "from" | "to"]?: string | undefined };

/**
 * Filters of a list of decisions. 400: an unknown reason `[invalid]`, a time that is none `[invalid]`, a start that is not
 * before the end `[out_of_range]`; `event_unknown`.
 */
export function readDecisionFilter(query: Query): DecisionFilter {
  const fields: FieldErrors = {};
  const reason = DECISION_REASONS.find((known) => known === query.reason) ?? null;
  if (query.reason !== undefined && reason === null) fields.reason = ["invalid"];
  const from = query.from === undefined ? 0 : readInstant(query.from, 0);
  const until = query.to === undefined ? Number.MAX_SAFE_INTEGER : readInstant(query.to, DAY_MS);
  if (Number.isNaN(from)) fields.from = ["invalid"];
  else if (from >= until) fields.from = ["out_of_range"];
  if (Number.isNaN(until)) fields.to = ["invalid"];
  if (Object.keys(fields).length > 0) throw invalid(fields);
  const eventType = query.event_type ?? null;
  if (eventType !== null && findEvent(eventType) === undefined) throw new Problem("event_unknown");
  return { fromId: idAt(from), untilId: idAt(until), eventType, reason };
}

/** The least id of what is made at a time (unix ms). */
const idAt = (ms: number): string =>
  Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");

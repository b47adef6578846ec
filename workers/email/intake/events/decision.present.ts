import type * as z from "zod";
import type { decisionListSchema } from "../../../../schemas/email/intake/decisions";
import { iso } from "../../../kit/time";
import type { ListedDecision } from "./decision.store";

/** Returns one decision of a list response. */
export function presentDecision(row: ListedDecision): z.output<typeof decisionListSchema>["decisions"][number] {
  const { id, service, event_type, reason, rule_id, recipient_masked, request_id } = row;
  const created_at = iso(row.created_at);
  return { id, service, event_type, reason, rule_id, recipient_masked, request_id, created_at };
}

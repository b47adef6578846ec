import type { BroadcastRow } from "../../../../db/email/rows";
import type {
  BroadcastCounts,
  PublicBroadcast,
  PublicBroadcastItem,
} from "../../../../schemas/email/audience/broadcasts";
import { iso } from "../../../kit/time";
import { isStarted } from "./broadcast-sender";

/** Returns a broadcast as lists show it, with its complete audience. A draft has no counts. */
export function presentBroadcastItem(
  row: BroadcastRow,
  audience: BroadcastRow["audience"],
  counts: BroadcastCounts | null,
): PublicBroadcastItem {
  const { id, company_id, name, state, from_email, template_id, template_version, language } = row;
  return {
    id,
    company_id,
    name,
    state,
    delivery: isStarted(row) ? "bulk_lane" : "",
    from_email,
    template_id,
    template_version,
    language,
    audience,
    counts: isStarted(row) ? counts : null,
    last_error_code: row.last_error_code,
    send_at: iso(row.send_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    sent_at: iso(row.sent_at),
  };
}

/** Returns a broadcast with its texts and sender. */
export function presentBroadcast(
  row: BroadcastRow,
  item: PublicBroadcastItem,
  { subject, preheader }: Pick<PublicBroadcast, "subject" | "preheader">,
  sender: PublicBroadcast["sender"],
): PublicBroadcast {
  const { provider_ref } = row;
  return { ...item, provider_ref, subject, preheader, sender };
}

import type { Lane } from "../../../schemas/email/delivery/lanes";
import { deliverNow as deliver } from "../../../workers/email/delivery/attempts/delivery";
import type { EmailServices } from "../../../workers/email/services";

/** Delivers the messages with these ids (32 hex characters), as for a wake-up message without company ids. */
export function deliverNow(services: EmailServices, ids: readonly string[], lane: Lane, options = {}) {
  const rows = ids.map((id) => ({ id, company_id: null }));
  return deliver(services, rows, lane, options);
}

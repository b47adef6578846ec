import type { RuleRow } from "../../../../db/kit/webhooks";
import { DAY_MS, iso } from "../../time";

/** Returns the reason why a subscription is failing at `now` (unix ms), or null. */
function failingReason(row: Pick<RuleRow, "failing_since" | "health_reason">, now: number) {
  if (row.health_reason !== null) return row.health_reason;
  return row.failing_since !== null && row.failing_since <= now - DAY_MS ? "failing_24h" : null;
}

function healthOf(row: RuleRow, now: number) {
  if (failingReason(row, now) !== null) return "failing";
  if (row.failing_since !== null) return "degraded";
  return row.last_success_at === null ? "unknown" : "ok";
}

/** Returns a subscription in the form of the API, without its secrets; `now` is unix ms. */
export function presentRule(row: RuleRow, now: number) {
  const previousEnd = row.previous_secret_expires_at;
  return {
    id: row.id,
    company_id: row.company_id,
    name: row.name,
    description: row.description,
    event_type: row.event_type,
    url: row.url,
    enabled: row.enabled,
    action_kind: row.action_kind,
    config: {
      url: row.url,
      insecure: row.url.startsWith("http:"),
      has_secret: true,
      secret_hint: row.secret_hint,
      previous_secret_expires_at: previousEnd !== null && previousEnd > now ? iso(previousEnd) : null,
      authorization_header_set: row.authorization_enc !== null,
      allow_private_urls: row.allow_private_urls,
    },
    health: healthOf(row, now),
    health_reason: failingReason(row, now),
    failing_since: iso(row.failing_since),
    last_success_at: iso(row.last_success_at),
    last_failure_at: iso(row.last_failure_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

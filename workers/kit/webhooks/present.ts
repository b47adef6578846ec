import type { RuleRow } from "../../../db/kit/webhooks";
import type { AttemptFacts, FoundDelivery, ListedDelivery } from "./deliveries/delivery.store";
import type { EventCatalog } from "./event-log/catalog";
import { type EnvelopeCompany, toEnvelopeTime } from "./event-log/envelope";
import type { EventRow } from "./event-log/event-log.store";

const dayMs = 86_400_000;

const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** Why a rule is failing at `now` (unix ms), or null (details of Document 3, 4.6, point 4). */
function failingReason(row: Pick<RuleRow, "failing_since" | "health_reason">, now: number) {
  if (row.health_reason !== null) return row.health_reason;
  return row.failing_since !== null && row.failing_since <= now - dayMs ? "failing_24h" : null;
}

function healthOf(row: RuleRow, now: number) {
  if (failingReason(row, now) !== null) return "failing";
  if (row.failing_since !== null) return "degraded";
  return row.last_success_at === null ? "unknown" : "ok";
}

/** A rule as it is shown (details of Document 3, 4.9), without its secrets; `now` is unix ms. */
export function presentRule(row: RuleRow, now: number) {
  const previousEnd = row.previous_secret_expires_at;
  return {
    id: row.id,
    company_id: row.company_id,
    name: row.name,
    description: row.description,
    event_type: row.event_type,
    url: row.url,
    enabled: row.enabled === 1,
    action_kind: row.action_kind,
    config: {
      url: row.url,
      insecure: row.url.startsWith("http:"),
      has_secret: true,
      secret_hint: row.secret_hint,
      previous_secret_expires_at: previousEnd !== null && previousEnd > now ? isoOrNull(previousEnd) : null,
      authorization_header_set: row.authorization_enc !== null,
      allow_private_urls: row.allow_private_urls === 1,
    },
    health: healthOf(row, now),
    health_reason: failingReason(row, now),
    failing_since: isoOrNull(row.failing_since),
    last_success_at: isoOrNull(row.last_success_at),
    last_failure_at: isoOrNull(row.last_failure_at),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** A webhook delivery; runs of jobs are shown to staff alone (contract, "Webhook delivery attempt"). */
export function presentDelivery(row: ListedDelivery, isStaff: boolean) {
  const isWaiting = row.status === "pending" || row.status === "failed";
  const isPaused = isWaiting && row.rule_enabled === 0;
  const attempts = (JSON.parse(row.attempts) as AttemptFacts[]).sort((a, b) => b.id - a.id);
  return {
    id: row.id,
    company_id: row.company_id,
    action_rule_id: row.rule_id,
    action_rule_name: row.rule_name,
    action_kind: "webhook",
    event_type: row.event_type,
    webhook_id: row.event_id,
    status: row.status,
    paused: isPaused,
    attempt_count: row.attempt_count,
    requeue_count: row.requeue_count,
    next_attempt_at: isWaiting && !isPaused ? isoOrNull(row.due_at) : null,
    last_error: row.last_error,
    last_error_code: row.last_error_code,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    delivered_at: isoOrNull(row.delivered_at),
    attempts: attempts.map((attempt) => presentAttempt(attempt, isStaff)),
  };
}

/** As presentDelivery, with what is sent. */
export function presentDeliveryDetail(row: FoundDelivery, isStaff: boolean) {
  return { ...presentDelivery(row, isStaff), envelope: JSON.parse(row.body) as Record<string, unknown> };
}

function presentAttempt({ created_at, scheduled_job_run_id, ...attempt }: AttemptFacts, isStaff: boolean) {
  const shown = { ...attempt, created_at: new Date(created_at).toISOString() };
  return isStaff ? { ...shown, scheduled_job_run_id } : shown;
}

/** A row of the event log: `data` without what is empty or false, and without the row's own ids. */
export function presentEvent(row: EventRow, { events }: EventCatalog) {
  const data = Object.entries(JSON.parse(row.data) as Record<string, unknown>);
  return {
    id: row.id,
    event_id: row.event_id,
    company_id: row.company_id,
    created_at: new Date(row.created_at).toISOString(),
    event_type: row.event_type,
    label: events.find(({ type }) => type === row.event_type)?.label ?? row.event_type,
    user_id: row.user_id,
    user_email: row.user_email,
    data: Object.fromEntries(data.filter(([name, value]) => !isEmpty(value) && !ownIds.includes(name))),
  };
}

const ownIds = ["company_id", "user_id"];

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** The event types that a reader may meet: those of staff alone are named to staff alone. */
export function presentEventTypes({ events }: EventCatalog, isStaff: boolean) {
  const results = events
    .filter(({ audience }) => isStaff || audience !== "staff")
    .map(({ type, label, description, audience }) => ({ type, label, description, webhook: audience === "webhook" }));
  return { results };
}

/** What a rule may name, each with a sample of what it sends. */
export function presentRuleEvents(catalog: EventCatalog, company: EnvelopeCompany) {
  const results = catalog.events
    .filter(({ audience }) => audience === "webhook")
    .map(({ type, label, description }) => ({
      type,
      label,
      description,
      emit_by_default: true,
      supported_action_kinds: ["webhook"],
      payload_fields: catalog.fieldsOf(type),
      sample_envelope: sampleEnvelope(catalog, type, company, sampled),
    }));
  return { results };
}

const sampled = { id: "0c2f9d0e-6a35-4d0f-8a55-0f3f6b0a7c11", now: Date.UTC(2026, 0, 1) };

/** An envelope of the type with the examples of its fields; `id` is the event's, `now` unix ms. */
export function sampleEnvelope(
  { fieldsOf }: EventCatalog,
  type: string,
  company: EnvelopeCompany,
  { id, now }: { id: string; now: number },
) {
  const data = Object.fromEntries(fieldsOf(type).map(({ name, example }) => [name, example]));
  return { id, type, time: toEnvelopeTime(now), company, data };
}

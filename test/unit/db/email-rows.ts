import { day, eventRows, id, kitRows, now } from "./kit-rows.ts";
import type { Tables } from "./migrated-database.ts";

const message = {
  id: `${"0".repeat(31)}1`,
  company_id: 7,
  service: "identity",
  client_id: 1,
  send_request_id: id(50),
  template_key: "identity.user.created",
  event_type: "identity.user.created",
  version_id: null,
  default_checksum: "checksum",
  template_version: null,
  language: "en",
  lane: "transactional",
  category: "transactional",
  scope: "platform",
  status: "sent",
  to_enc: "v1.k1.address",
  to_masked: "a***@example.com",
  to_user_id: 1,
  email_hmac: "a1".repeat(32),
  variables_enc: null as string | null,
  provider: "api",
  provider_message_id: "msg-1" as string | null,
  attempt_count: 1,
  claim_count: 1,
  next_attempt_at: now,
  locked_until: null as number | null,
  lease_token: null as string | null,
  data_started: 0,
  accepted_at: now,
  expires_at: null as number | null,
  sent_at: (now + 5) as number | null,
  rank: 2,
  last_error_code: null as string | null,
  bounce: null as string | null,
  trace: '{"template":"default"}',
  request_id: id(51),
};

const waiting = { provider_message_id: null, sent_at: null, variables_enc: "v1.k1.variables", expires_at: now + day };

/** Rows of email as the first landed version keeps them. Triggers add totals. */
export const emailRows: Tables = {
  library_templates: [
    {
      ...{ id: 1, key: "barebone.activation", set_key: "barebone", name: "Activation", company_id: null, built_in: 1 },
      ...{ subject: "Sign in", preheader: "Use this link", document: '{"type":"doc","content":[]}', head: "" },
      ...{ html: "<p>old</p>", text: "old", created_at: now, updated_at: now },
    },
  ],
  default_contents: [
    {
      ...{ checksum: "checksum", event_type: "identity.user.created", language: "en", subject: "Welcome" },
      ...{ html: "<p>old</p>", text: "old", created_at: now, current: 1 },
    },
  ],
  service_clients: [
    {
      id: 1,
      service: "identity",
      name: "first key",
      key_prefix: "esk_abcdefgh",
      key_hash: "b2".repeat(32),
      previous_key_hash: "c3".repeat(32),
      previous_expires_at: now + day,
      allowed_lanes: '["auth","transactional"]',
      allowed_template_prefixes: '["identity."]',
      allowed_company_ids: "[7]",
      callback_url: "https://identity.example.com/mail",
      callback_host: "identity.example.com",
      callback_secret_enc: "v1.k1.callback",
      seal_id: id(52),
      active: 1,
      last_used_at: now,
      created_at: now - day,
    },
  ],
  company_providers: [
    {
      company_id: 7,
      seal_id: id(53),
      provider: "smtp",
      from_email: "no-reply@example.com",
      from_name: "Acme",
      sending_domain: "example.com",
      bulk_from_email: "news@example.com",
      reply_to: "help@example.com",
      credentials_enc: "v1.k1.credentials",
      credentials_hint: "smtp.example.com",
      fingerprint: "f".repeat(16),
      webhook_secret_enc: "v1.k1.webhook",
      webhook_previous_enc: "v1.k1.former",
      webhook_previous_expires_at: now + day,
      webhook_hint: "wxyz",
      updated_at: now,
    },
  ],
  company_profiles: [{ company_id: 7, name: "Acme", updated_at: now }],
  lane_states: [
    {
      ...{ lane: "bulk", company_id: 7, scope: "company", paused: 1, reason: "provider_rejected" },
      ...{ fingerprint: "f".repeat(16), paused_at: now, paused_by: 1 },
    },
  ],
  sender_breakers: [{ scope: "company", company_id: 7, lane: "bulk", failures: 6, open_until: now + 60_000, opens: 2 }],
  send_requests: [
    {
      id: id(50),
      service: "identity",
      company_id: 7,
      idempotency_key: "key-1",
      path: "/api/v1/send",
      fingerprint: "e5".repeat(32),
      response: '{"messages":[]}',
      created_at: now,
    },
  ],
  messages: [
    message,
    { ...message, ...waiting, id: `${"0".repeat(31)}2`, status: "queued" },
    {
      ...{ ...message, ...waiting, id: `${"0".repeat(31)}3`, status: "sending", lane: "auth", data_started: 1 },
      ...{ locked_until: now + 60_000, lease_token: id(54) },
    },
    { ...message, ...waiting, id: `${"0".repeat(31)}4`, status: "retrying", last_error_code: "timeout" },
    {
      ...{ ...message, id: `${"0".repeat(31)}5`, status: "bounced", provider_message_id: "msg-5" },
      ...{ bounce: '{"type":"permanent"}', last_error_code: "bounced" },
    },
  ],
  message_events: [
    { id: 1, company_id: 7, message_id: message.id, type: "accepted", at: now, detail: null },
    { id: 2, company_id: 7, message_id: message.id, type: "sent", at: now + 5, detail: null },
    {
      ...{ id: 3, company_id: 7, message_id: `${"0".repeat(31)}4`, type: "retrying", at: now + 6 },
      detail: '{"code":"timeout","wait_seconds":30}',
    },
  ],
  suppressions: [
    {
      ...{ id: 1, company_id: 7, email_hmac: "a1".repeat(32), email_masked: "a***@example.com" },
      ...{ reason: "hard_bounce", lanes: '["bulk"]', expires_at: now + day, created_at: now },
    },
  ],
  unsubscribes: [
    { id: 1, company_id: 7, email_hmac: "a1".repeat(32), category: "news", source: "page", created_at: now },
  ],
  stats_days: [
    {
      ...{ company_id: 7, day: "2026-11-01", lane: "transactional", event_type: "identity.user.created" },
      ...{
        queued: 5,
        sent: 4,
        delivered: 3,
        bounced: 1,
        complained: 1,
        failed: 1,
        expired: 1,
        suppressed: 1,
        cancelled: 1,
      },
    },
  ],
  erasures: [{ id: id(55), company_id: 7, hashes: '["a1"]', requested_at: now }],
  audit_log: [
    {
      ...{ id: 1, at: now, actor_kind: "session", actor_user_id: 1, company_id: 7 },
      ...{ action: "erasure", target: id(55), changes: "{}" },
    },
  ],
  event_log: eventRows("email.message.sent").map((event) => ({
    ...event,
    // Sealed with the event's id as its place.
    data: "v1.k1.data",
    envelope: event.envelope === null ? null : "v1.k1.envelope",
    subject_hmac: event.company_id === null ? null : "a1".repeat(32),
    client_id: event.company_id === null ? null : 1,
  })) as Tables[string],
  ...kitRows("email.message.sent"),
};

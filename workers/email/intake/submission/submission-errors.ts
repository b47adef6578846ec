/** The error codes that every request to send mail can get, for the OpenAPI document. */
export const SUBMISSION_ERRORS = [
  "validation_failed",
  "unauthorized",
  "forbidden",
  "company_mismatch",
  "lane_not_allowed",
  "idempotency_conflict",
  "rate_limited",
  "lane_paused",
  "platform_sender_not_allowed",
  "company_smtp_disabled",
  "provider_not_configured",
  "payload_too_large",
  "unsupported_media_type",
  "library_not_synced",
  "service_unavailable",
] as const;

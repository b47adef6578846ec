import { commonErrors, type ErrorTable } from "../errors";
import { webhookErrors } from "../webhooks/errors";

/** Error codes of email; later parts add theirs. Messages are for documents only. */
export const emailErrors = {
  ...commonErrors,
  ...webhookErrors,
  lane_not_allowed: { status: 403, message: "The key cannot use this lane." },
  template_not_found: { status: 404, message: "There is no such template." },
  language_not_available: { status: 400, message: "The language is not `en` or `fr`." },
  library_not_found: { status: 404, message: "There is no such template in the library of the company." },
  library_built_in: { status: 409, message: "A built-in template of the library cannot be changed." },
  library_not_synced: { status: 503, message: "The mail library is being loaded. Try again in a second." },
  event_unknown: { status: 400, message: "The event is not in the catalog." },
  unknown_event: { status: 400, message: "The event is not in the catalog, or not of this service." },
  rule_built_in: { status: 409, message: "A built-in rule cannot be turned off or deleted." },
  template_in_use: { status: 409, message: "A rule sends by this copy." },
  renderer_unavailable: { status: 503, message: "The mail could not be composed now; try again later." },
  template_lane_mismatch: { status: 400, message: "The lane differs from the lane class of the template." },
  lane_requires_campaign: { status: 400, message: "`bulk` is not accepted on this path." },
  lane_paused: { status: 409, message: "The lane is paused; see Retry-After." },
  idempotency_conflict: { status: 409, message: "The idempotency key was used with another body." },
  recipient_invalid: { status: 400, message: "An address failed the format check." },
  recipient_suppressed: { status: 422, message: "The address bounced before; do not retry." },
  recipient_rate_limited: { status: 429, message: "Too many messages to this recipient; see Retry-After." },
  company_rate_limited: { status: 429, message: "Too many messages of this company; see Retry-After." },
  variable_url_not_allowed: { status: 400, message: "A URL variable has a scheme or host that is not allowed." },
  auth_link_missing: { status: 400, message: "The copy does not show the link that its mail is for." },
  auth_link_host_not_allowed: { status: 400, message: "A link of the copy leads to where sign-in mail must not lead." },
  auth_link_misplaced: { status: 400, message: "The copy has its link or code where nobody would see it." },
  auth_literal_link: { status: 400, message: "The copy has a literal link in its subject, preheader or text." },
  provider_not_configured: { status: 409, message: "There are no usable provider credentials for this send." },
  platform_sender_not_allowed: { status: 409, message: "The company may not use the platform sender." },
  /** saving a provider with the platform's own From address */
  platform_from_refused: {
    status: 403,
    message: "The company may not send from a platform address.",
    code: "platform_sender_not_allowed",
  },
  bulk_sender_required: { status: 409, message: "The company's provider has no address for bulk mail." },
  company_smtp_disabled: { status: 409, message: "SMTP providers of companies are turned off." },
  /** saving an SMTP provider while they are turned off */
  company_smtp_refused: {
    status: 400,
    message: "SMTP providers of companies are turned off.",
    code: "company_smtp_disabled",
  },
  provider_host_not_public: { status: 400, message: "The SMTP host is missing, private or not public." },
  provider_not_available: { status: 400, message: "The provider is not `api` or `smtp`." },
  provider_test_failed: { status: 502, message: "The provider refused the test message." },
  message_not_found: { status: 404, message: "There is no such message." },
  message_not_cancellable: { status: 409, message: "The message is no longer `queued` or `retrying`." },
  request_failed: { status: 500, message: "An unexpected fault; it was logged under the request id." },
} satisfies ErrorTable;

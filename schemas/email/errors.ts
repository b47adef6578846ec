import { commonErrors, type ErrorTable } from "../errors";
import { fileErrors } from "../file-errors";
import { webhookErrors } from "../webhooks/errors";

/** Error codes of email. The messages appear only in the documentation. */
export const emailErrors = {
  ...commonErrors,
  ...webhookErrors,
  lane_not_allowed: {
    status: 403,
    message: "The service key may not use the lane. Add it to `allowed_lanes` of the service client.",
  },
  template_not_found: {
    status: 404,
    message: "No event of the company's catalog has this `template_key`. `GET /api/v1/catalog` lists them.",
  },
  language_not_available: { status: 400, message: "`language` must be `en` or `fr`." },
  library_not_found: {
    status: 404,
    message: "The company's library has no template with this id. `GET /api/v1/library` lists them.",
  },
  library_built_in: {
    status: 409,
    message: "A built-in library template cannot be changed or deleted. Add a copy with `source_id` and change that.",
  },
  library_not_synced: { status: 503, message: "The mail library is still loading. Retry after a second." },
  event_unknown: {
    status: 400,
    message: "`event_type` is not in the catalog of the company, or belongs to another `service`.",
  },
  unknown_event: {
    status: 400,
    message: "`event_type` is not in the catalog of the company, or the key belongs to another service.",
  },
  nothing_to_send: {
    status: 400,
    message:
      "No event type of the company begins with a prefix of the key. Create one, or set `direct_content` for a key that sends its own content.",
  },
  event_type_in_use: {
    status: 409,
    message:
      "Rules, custom templates or waiting messages use the event type; `field_errors` says which. Delete the rules and templates first.",
  },
  rule_built_in: { status: 409, message: "A built-in email rule cannot be disabled or deleted." },
  template_in_use: {
    status: 409,
    message: "An email rule, a broadcast or a newsletter uses the custom template. Delete that first.",
  },
  renderer_unavailable: { status: 503, message: "The mail could not be rendered. Retry later." },
  template_lane_mismatch: { status: 400, message: "`lane` differs from the lane of the template. Omit it." },
  lane_requires_campaign: { status: 400, message: "`lane` must not be `bulk` for this request." },
  lane_paused: { status: 409, message: "The lane is paused. Retry after the seconds in Retry-After." },
  identity_unavailable: { status: 502, message: "Identity did not return the audience. Retry later." },
  identity_not_configured: {
    status: 503,
    message:
      "The email service has no connection to identity. The operator sets `IDENTITY_SERVICE_URL` or the binding.",
  },
  idempotency_conflict: {
    status: 409,
    message: "`idempotency_key` was used with another body. Use a new key for another request.",
  },
  recipient_invalid: { status: 400, message: "A recipient's address is malformed; `field_errors` names it." },
  recipient_suppressed: {
    status: 422,
    message:
      "A recipient is suppressed, for example after a bounce. Do not retry; delete the suppression if the address works.",
  },
  recipient_rate_limited: {
    status: 429,
    message: "Too many messages to this recipient. Retry after the seconds in Retry-After.",
  },
  company_rate_limited: {
    status: 429,
    message: "Too many messages of this company. Retry after the seconds in Retry-After.",
  },
  variable_url_not_allowed: {
    status: 400,
    message:
      "A URL variable has a scheme or host that is not allowed. Add the host of a sign-in link to EMAIL_AUTH_LINK_HOSTS.",
  },
  auth_link_missing: { status: 400, message: "The template lacks the link that the event requires. Add its token." },
  auth_link_host_not_allowed: {
    status: 400,
    message:
      "A link of the template has a host that sign-in mail must not link to. `auth_link_hosts` of the catalog lists the allowed ones.",
  },
  auth_link_misplaced: {
    status: 400,
    message: "The template has its link or code where readers cannot see it. Move it into visible text or a button.",
  },
  auth_literal_link: {
    status: 400,
    message: "The template has a literal link in subject, preheader or text. Use a token or a button instead.",
  },
  confirm_link_missing: {
    status: 400,
    message: "The template has no visible link to `{{ confirm_url }}`. Add a button or a link with it.",
  },
  newsletter_not_found: { status: 404, message: "No newsletter of the company has this id." },
  subscriber_not_found: { status: 404, message: "The newsletter has no subscriber with this id." },
  subscriber_unsubscribed: {
    status: 409,
    message: "The person unsubscribed. Use `mode` `confirm`, so that they can subscribe again themselves.",
  },
  subscriber_suppressed: {
    status: 409,
    message: "The address is suppressed, for example after a bounce. Delete the suppression if the address works.",
  },
  import_too_large: { status: 400, message: "The file has more bytes or rows than `limit`. Split it." },
  origin_not_allowed: {
    status: 403,
    message: "The newsletter does not accept sign-ups from this origin. Add it to `allowed_origins` of the newsletter.",
  },
  turnstile_failed: {
    status: 400,
    message: "Turnstile did not confirm the visitor. Show the widget again and send its new token.",
  },
  turnstile_unavailable: {
    status: 503,
    message: "Turnstile did not respond, or rejects the secret of the newsletter. Retry later.",
  },
  newsletter_unavailable: {
    status: 503,
    message: "The company cannot send confirmation mail right now. Configure its provider, or retry later.",
  },
  provider_not_configured: {
    status: 409,
    message: "No provider can send this mail. Configure the company's provider with valid credentials.",
  },
  platform_sender_not_allowed: {
    status: 409,
    message: "The company may not use the platform sender. Configure a provider of its own.",
  },
  /** a PUT of a provider contains a From address of the platform */
  platform_from_refused: {
    status: 403,
    message: "The address belongs to the platform. Use an address of the company.",
    code: "platform_sender_not_allowed",
  },
  from_not_allowed: {
    status: 403,
    message:
      "`from` must be `from_email` of the company's provider, or an address at its `sending_domain` that DNS proves.",
  },
  email_not_scheduled: {
    status: 409,
    message: "The email is not scheduled any more: it is being sent, was sent, or was cancelled.",
  },
  bulk_sender_required: {
    status: 409,
    message:
      "The company has no sender for bulk mail: its provider has no `bulk_from_email`, or the platform sends no bulk mail. Set both.",
  },
  company_smtp_disabled: { status: 409, message: "The deployment does not allow companies to use SMTP. Use `api`." },
  /** a PUT of a provider selects SMTP, which the deployment does not allow */
  company_smtp_refused: {
    status: 400,
    message: "`provider` must not be `smtp` on this deployment. Use `api`.",
    code: "company_smtp_disabled",
  },
  provider_host_not_public: {
    status: 400,
    message: "`credentials.host` is missing, does not resolve or is not public. Use a public host name.",
  },
  provider_not_available: { status: 400, message: "`provider` must be `api` or `smtp`." },
  provider_test_failed: {
    status: 502,
    message: "The provider did not accept the test message; `field_errors.provider` has the reason.",
  },
  unsubscribe_link_missing: {
    status: 400,
    message: "A bulk mail must show an unsubscribe link. Add a link to `{{ system.unsubscribe_url }}`.",
  },
  broadcast_not_found: { status: 404, message: "No broadcast has this id. `GET /api/v1/broadcasts` lists them." },
  broadcast_not_draft: {
    status: 409,
    message:
      "The broadcast was already sent or scheduled, so it cannot be changed, deleted or sent again. Duplicate it instead.",
  },
  broadcast_state_conflict: {
    status: 409,
    message: "The broadcast is in a state in which this is not possible; `state` names it.",
  },
  audience_empty: { status: 400, message: "The audience of the broadcast has no recipients. Change `audience`." },
  audience_too_large: {
    status: 400,
    message: "The audience has more recipients than a broadcast may have; `limit` is the maximum. Split the audience.",
  },
  message_not_found: { status: 404, message: "No message has this id." },
  message_not_cancellable: {
    status: 409,
    message: "Only messages with status `queued` or `retrying` can be cancelled.",
  },
  image_invalid: { status: 400, message: "The body is not a complete PNG, JPEG or WebP image." },
  image_type_mismatch: { status: 400, message: "The image is not of the type in Content-Type." },
  image_too_many_pixels: { status: 400, message: "Width and height of the image must be 1 to 4,096 pixels." },
  incomplete_body: fileErrors.incomplete_body,
  storage_error: fileErrors.storage_error,
  request_failed: { status: 500, message: "An unexpected error occurred; it was logged with the request id." },
} satisfies ErrorTable;

import type { ErrorTable } from "../errors";

/** Error codes of webhooks. Every service that mounts the webhook routes includes them. */
export const webhookErrors = {
  webhook_test_failed: { status: 400, message: "The webhook endpoint did not accept the test event; see `result`." },
  rule_disabled: { status: 409, message: "The webhook subscription is disabled." },
  rule_deleted: { status: 409, message: "The webhook subscription of this delivery was deleted." },
  rule_limit_reached: { status: 409, message: "The company has the maximum number of webhook subscriptions." },
  delivery_not_requeueable: { status: 409, message: "Only a dead or failed delivery can be sent again." },
} satisfies ErrorTable;

import type { ErrorTable } from "../errors";

/** Error codes of webhooks, in the table of every service that mounts them. */
export const webhookErrors = {
  webhook_test_failed: { status: 400, message: "The target did not accept the test; see result." },
  rule_disabled: { status: 409, message: "The rule is disabled." },
  rule_deleted: { status: 409, message: "The rule of the delivery is deleted." },
  rule_limit_reached: { status: 409, message: "The company has the highest allowed number of rules." },
  delivery_not_requeueable: { status: 409, message: "Only a delivery that is dead or failed can be sent again." },
} satisfies ErrorTable;

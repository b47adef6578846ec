/** Who sees an event. `webhook`: webhooks and the event log of the company. `log`: only the event log. `staff`: only staff. */
export type Audience = "webhook" | "log" | "staff";

/** One event type in the catalog of a service. */
export type EventEntry<T extends string = string> = {
  type: T;
  label: string;
  description: string;
  audience: Audience;
};

/** The description of one field in the data of an event, for the webhook catalog. */
export type PayloadField = { name: string; description: string; example: unknown };

type CreateEntry = <const T extends string>(type: T, label: string, description: string) => EventEntry<T>;

const createEntry =
  (audience: Audience): CreateEntry =>
  (type, label, description) => ({ type, label, description, audience });

/** Creates an event for webhook subscriptions and the log of the company. */
export const webhook = createEntry("webhook");

/** Creates an event that only the log of the company contains. */
export const logged = createEntry("log");

/** Creates an event of the platform, which only staff see. */
export const staffOnly = createEntry("staff");

/** The label and description of `{service}.action_rule.failing`. */
export const ruleFailing = [
  "Webhook failing",
  "A webhook has failed for 24 hours, its receiver returned 410, or its secret cannot be read.",
] as const;

/** Returns the data fields of `{service}.action_rule.failing`. */
export const ruleFailingFields = (service: string): readonly PayloadField[] => [
  { name: "company_id", description: "Id of the company", example: 10 },
  { name: "rule_id", description: "Id of the webhook", example: 5 },
  { name: "rule_name", description: "Name of the webhook", example: "Deploy bot" },
  {
    name: "rule_event_type",
    description: "Event type that the webhook is subscribed to",
    example: `${service}.action_rule.failing`,
  },
  { name: "host", description: "Host of the webhook URL", example: "hooks.example.com" },
  {
    name: "health_reason",
    description: "Reason: `failing_24h`, `gone` or `secret_unavailable`",
    example: "failing_24h",
  },
  {
    name: "failing_since",
    description: "Time of the first failure, null when no request was attempted",
    example: "2026-11-21T09:30:00.000Z",
  },
];

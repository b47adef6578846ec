/** Who learns of an event: the company's webhook rules too, its log alone, or staff alone (no company). */
export type Audience = "webhook" | "log" | "staff";

/** One event type of a service's catalog. */
export type EventEntry<T extends string = string> = {
  type: T;
  label: string;
  description: string;
  audience: Audience;
  /** nothing writes it yet: no catalog offers it, and rules that name it stay as they are */
  isPlanned: boolean;
};

/** One field of an event's data, as the catalog of rules describes it. */
export type PayloadField = { name: string; description: string; example: unknown };

type Make = <const T extends string>(type: T, label: string, description: string) => EventEntry<T>;

const make =
  (audience: Audience, isPlanned = false): Make =>
  (type, label, description) => ({ type, label, description, audience, isPlanned });

/** An event that rules of the company may name. */
export const webhook = make("webhook");

/** An event that rules will name once something writes it. */
export const planned = make("webhook", true);

/** An event that is only in the company's log. */
export const logged = make("log");

/** An event of the platform, for staff alone. */
export const staffOnly = make("staff");

/** Label and description of `{service}.action_rule.failing`. */
export const ruleFailing = ["Webhook failing", "A webhook fails for a day, or its receiver is gone."] as const;

/** The fields of the data of that event. */
export const ruleFailingFields = (service: string): readonly PayloadField[] => [
  { name: "company_id", description: "Company of the rule", example: 10 },
  { name: "rule_id", description: "Id of the rule", example: 5 },
  { name: "rule_name", description: "Name of the rule", example: "Deploy bot" },
  { name: "rule_event_type", description: "Event that the rule names", example: `${service}.action_rule.failing` },
  { name: "host", description: "Host of its URL", example: "hooks.example.com" },
  {
    name: "health_reason",
    description: "Why: `failing_24h`, `gone` or `secret_unavailable`",
    example: "failing_24h",
  },
  {
    name: "failing_since",
    description: "When the first of its failures was, null when nothing could be attempted",
    example: "2026-11-21T09:30:00.000Z",
  },
];

/** Who learns of an event: the company's webhook rules too, its log alone, or staff alone (no company). */
export type Audience = "webhook" | "log" | "staff";

/** One event type of a service's catalog. */
export type EventEntry<T extends string = string> = {
  type: T;
  label: string;
  description: string;
  audience: Audience;
};

/** One field of an event's data, as the catalog of rules describes it. */
export type PayloadField = { name: string; description: string; example: unknown };

type Make = <const T extends string>(type: T, label: string, description: string) => EventEntry<T>;

const make =
  (audience: Audience): Make =>
  (type, label, description) => ({ type, label, description, audience });

/** An event that rules of the company may name. */
export const webhook = make("webhook");

/** An event that stands in the company's log alone. */
export const logged = make("log");

/** An event of the platform, for staff alone. */
export const staffOnly = make("staff");

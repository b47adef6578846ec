/** The first parts that event types and key prefixes of companies must not have, because the platform uses them. */
export const RESERVED_PREFIXES: readonly string[] = [
  "broadcast",
  "company",
  "email",
  "hosting",
  "identity",
  "newsletter_confirmation",
  "platform",
  "storage",
  "system",
];

/** An event type of a company's own: 2 to 6 parts such as `shop.order.placed`. At most 100 characters. */
export const OWN_EVENT_TYPE = /^[a-z][a-z0-9_-]{0,63}(?:\.[a-z0-9][a-z0-9_-]{0,63}){1,5}$/;
export const MAX_EVENT_TYPE_LENGTH = 100;

/** Returns the first part of an event type or of a key prefix: `shop` for `shop.order.placed` and for `shop.`. */
export function prefixOf(eventTypeOrPrefix: string): string {
  const end = eventTypeOrPrefix.indexOf(".");
  return end === -1 ? eventTypeOrPrefix : eventTypeOrPrefix.slice(0, end);
}

/** Returns whether the platform reserves the first part of an event type or of a key prefix. */
export function isReservedPrefix(eventTypeOrPrefix: string): boolean {
  return RESERVED_PREFIXES.includes(prefixOf(eventTypeOrPrefix));
}

import type { EventEntry, PayloadField } from "../../../../schemas/event-entry";

/**
 * The events of a service, in the order of lists. `fieldsOf` returns the data fields of an event type that
 * subscriptions may receive.
 */
export type EventCatalog = {
  events: readonly EventEntry[];
  fieldsOf: (type: string) => readonly PayloadField[];
};

/** Returns whether new subscriptions may use the event type. */
export const isOffered = ({ audience }: EventEntry): boolean => audience === "webhook";

/** Returns the event types that new subscriptions may use. */
export const offeredTypes = ({ events }: EventCatalog): string[] => events.filter(isOffered).map(({ type }) => type);

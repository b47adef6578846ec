import type { EventEntry, PayloadField } from "../../../../schemas/event-entry";

/** The events of a service in listing order. `fieldsOf` describes the data of subscription events. */
export type EventCatalog = {
  events: readonly EventEntry[];
  fieldsOf: (type: string) => readonly PayloadField[];
};

/** Returns whether new subscriptions may name the event. */
export const isOffered = ({ audience, isPlanned }: EventEntry): boolean => audience === "webhook" && !isPlanned;

/** Returns the types that new subscriptions may name. */
export const offeredTypes = ({ events }: EventCatalog): string[] => events.filter(isOffered).map(({ type }) => type);

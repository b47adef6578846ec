import type { EventEntry, PayloadField } from "../../../../schemas/event-entry";

/** The events of a service in the order in which they are listed. `fieldsOf` describes the data of rule events. */
export type EventCatalog = {
  events: readonly EventEntry[];
  fieldsOf: (type: string) => readonly PayloadField[];
};

/** Whether new rules may name the event. */
export const isOffered = ({ audience, isPlanned }: EventEntry): boolean => audience === "webhook" && !isPlanned;

/** The types that new rules may name. */
export const offeredTypes = ({ events }: EventCatalog): string[] => events.filter(isOffered).map(({ type }) => type);

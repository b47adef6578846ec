/**
 * One event type of a service's catalog. `webhook`: the company's rules may name it; `log`: its event log alone shows it;
 * `staff`: a platform event without company.
 */
export type EventEntry = {
  type: string;
  label: string;
  description: string;
  audience: "webhook" | "log" | "staff";
};

/** A field of an event's data, as the catalog describes it (details of Document 3, 4.9). */
export type PayloadField = { name: string; description: string; example: unknown };

/** The events of a service in the order in which they are listed. `fieldsOf` describes the data of rule events. */
export type EventCatalog = {
  events: readonly EventEntry[];
  fieldsOf: (type: string) => readonly PayloadField[];
};

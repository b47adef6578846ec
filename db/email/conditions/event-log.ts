import type { SQLWrapper } from "drizzle-orm";

/** The body that replaces an envelope when an erasure cannot mask it. */
export const ERASED_BODY = "{}";

/**
 * Returns the columns of a new row of the event log, for an INSERT. The event is sealed and concerns an address. When
 * it concerns a message, the service client to call back is included. `about` is a row of `messages`, or its fields.
 */
export function eventColumns(
  event: Record<"event_id" | "type" | "data" | "envelope", SQLWrapper>,
  about: Record<"company_id" | "email_hmac", SQLWrapper> & { client_id?: SQLWrapper },
  now: SQLWrapper,
) {
  return {
    id: event.event_id,
    company_id: about.company_id,
    event_type: event.type,
    data: event.data,
    envelope: event.envelope,
    subject_hmac: about.email_hmac,
    ...(about.client_id === undefined ? {} : { client_id: about.client_id }),
    created_at: now,
  };
}

/** Returns the keys of the rows of events. */
export const eventKeys = (events: readonly { company_id: number; event_id: string }[]) =>
  events.map(({ company_id, event_id: id }) => ({ company_id, id }));

import type { SQLWrapper } from "drizzle-orm";

/** What an erasure leaves of an envelope that cannot be masked. */
export const ERASED_BODY = "{}";

/**
 * The columns of a new row of the event log, for an INSERT: a sealed event about an address, and where a message made it
 * the service client that is called back. `about` is a row of `messages`, or what stands for it.
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

/** The keys of the rows of events. */
export const eventKeys = (events: readonly { company_id: number; event_id: string }[]) =>
  events.map(({ company_id, event_id: id }) => ({ company_id, id }));

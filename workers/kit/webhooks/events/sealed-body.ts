import { PLATFORM } from "../../../../db/kit/webhooks";
import { SealError } from "../../crypto/seal";
import type { WebhooksContext } from "../context";
import type { EventRow } from "../event-store/rows";

type Opener = Pick<WebhooksContext, "seal" | "log">;

/** Replaces data that does not open: an error code, never an empty value. */
const UNREADABLE = { error_code: "data_unreadable" };

async function openColumn(
  { seal, log }: Opener,
  column: "data" | "envelope",
  text: string,
  event: { company_id: number; event_id: string },
): Promise<string | null> {
  // Platform events are about no user and not sealed.
  if (seal === undefined || event.company_id === PLATFORM) return text;
  try {
    return await seal.open(column, text, { companyId: event.company_id, eventId: event.event_id });
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    log.error("event does not open", { event_id: event.event_id, company_id: event.company_id, column });
    return null;
  }
}

/** Returns the envelope that a delivery sends; null, with a log line, when it does not open. */
export function openBody(
  context: Opener,
  row: { company_id: number; event_id: string; body: string },
): Promise<string | null> {
  return openColumn(context, "envelope", row.body, row);
}

/**
 * Returns the addresses in an opened envelope. They are sealed, so they must not be stored in plain with the receiver's
 * response.
 */
export function sealedAddresses({ seal }: Opener, body: string): string[] {
  return seal === undefined ? [] : [...new Set(body.match(/[^\s"\\]+@[^\s"\\]+/g))];
}

/** Returns a delivery with its opened envelope. */
export async function withEnvelope<Row extends { company_id: number; event_id: string; body: string }>(
  context: Opener,
  row: Row,
): Promise<Row & { envelope: Record<string, unknown> }> {
  const body = await openBody(context, row);
  return { ...row, envelope: body === null ? UNREADABLE : JSON.parse(body) };
}

/** An event with its opened data. */
export type OpenEvent = Omit<EventRow, "data"> & { data: Record<string, unknown> };

/** Returns the data of an event: its own column, or the member of its envelope when only that holds it. */
async function readData(context: Opener, row: EventRow): Promise<Record<string, unknown> | null> {
  const { sealed_envelope: envelope } = row;
  const text = await openColumn(context, envelope === null ? "data" : "envelope", envelope ?? row.data, row);
  if (text === null) return null;
  const value = JSON.parse(text);
  // An erasure empties an envelope that does not open.
  return envelope === null ? value : (value.data ?? {});
}

/** Returns an event with its opened data; lists mask addresses. */
export async function openEvent(
  context: Opener,
  row: EventRow,
  { isListed }: { isListed: boolean },
): Promise<OpenEvent> {
  const data = await readData(context, row);
  if (data === null) return { ...row, data: UNREADABLE };
  return { ...row, data: isListed && context.seal !== undefined ? context.seal.mask(data) : data };
}

import { PLATFORM } from "../../../../db/kit/webhooks";
import { SealError } from "../../crypto/seal";
import type { WebhooksContext } from "../context";
import type { EventRow } from "../event-store/rows";

type Opener = Pick<WebhooksContext, "seal" | "log">;

/** Replaces data that cannot be opened. An error code is used, because empty data would look valid. */
const UNREADABLE = { error_code: "data_unreadable" };

async function openColumn(
  { seal, log }: Opener,
  column: "data" | "envelope",
  text: string,
  event: { company_id: number; event_id: string },
): Promise<string | null> {
  // Platform events concern no user and are not sealed.
  if (seal === undefined || event.company_id === PLATFORM) return text;
  try {
    return await seal.open(column, text, { companyId: event.company_id, eventId: event.event_id });
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    log.error("event cannot be opened", { event_id: event.event_id, company_id: event.company_id, column });
    return null;
  }
}

/** Returns the envelope that a delivery sends. When it cannot be opened, logs an error and returns null. */
export function openBody(
  context: Opener,
  row: { company_id: number; event_id: string; body: string },
): Promise<string | null> {
  return openColumn(context, "envelope", row.body, row);
}

/**
 * Returns the email addresses in an opened envelope. They are sealed in the database, so the stored part of a
 * receiver's response must not contain them.
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

/**
 * Returns the data of an event from the column `data`, or from the envelope when only the envelope contains it. Returns
 * null when it cannot be opened.
 */
async function readData(context: Opener, row: EventRow): Promise<Record<string, unknown> | null> {
  const { sealed_envelope: envelope } = row;
  const text = await openColumn(context, envelope === null ? "data" : "envelope", envelope ?? row.data, row);
  if (text === null) return null;
  const value = JSON.parse(text);
  // If an erasure cannot open an envelope, it stores `{}` instead.
  return envelope === null ? value : (value.data ?? {});
}

/** Returns an event with its opened data. In lists, addresses are masked. */
export async function openEvent(
  context: Opener,
  row: EventRow,
  { isListed }: { isListed: boolean },
): Promise<OpenEvent> {
  const data = await readData(context, row);
  if (data === null) return { ...row, data: UNREADABLE };
  return { ...row, data: isListed && context.seal !== undefined ? context.seal.mask(data) : data };
}

import { SealError } from "../../crypto/seal";
import type { ActionsContext } from "../context";

type Opener = Pick<ActionsContext, "seal" | "log">;

/** What stands in the place of data that do not open: an error with its code, never an empty value (email details 15.1). */
const UNREADABLE = { error_code: "data_unreadable" };

async function openColumn(
  { seal, log }: Opener,
  column: "data" | "envelope",
  text: string,
  event: { company_id: number | null; event_id: string },
): Promise<string | null> {
  // Events of the platform tell of nobody and are not sealed.
  if (seal === undefined || event.company_id === null) return text;
  try {
    return await seal.open(column, text, { companyId: event.company_id, eventId: event.event_id });
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    log.error("event does not open", { event_id: event.event_id, company_id: event.company_id, column });
    return null;
  }
}

/** The envelope that a delivery sends; null, with a log line, when it does not open. */
export function openBody(
  context: Opener,
  row: { company_id: number; event_id: string; body: string },
): Promise<string | null> {
  return openColumn(context, "envelope", row.body, row);
}

/** The addresses that an opened envelope names: they are sealed, and must not come back in plain with an answer. */
export function sealedAddresses({ seal }: Opener, body: string): string[] {
  return seal === undefined ? [] : [...new Set(body.match(/[^\s"\\]+@[^\s"\\]+/g))];
}

/** A delivery that is shown, with its envelope. */
export async function withOpenBody<Row extends { company_id: number; event_id: string; body: string }>(
  context: Opener,
  row: Row,
): Promise<Row> {
  return { ...row, body: (await openBody(context, row)) ?? JSON.stringify(UNREADABLE) };
}

/** An event that is shown, with its data; lists mask addresses (email details 11, point 3). */
export async function withOpenData<Row extends { company_id: number | null; event_id: string; data: string }>(
  context: Opener,
  row: Row,
  { isListed }: { isListed: boolean },
): Promise<Row> {
  const text = await openColumn(context, "data", row.data, row);
  if (text === null) return { ...row, data: JSON.stringify(UNREADABLE) };
  if (!isListed || context.seal === undefined) return { ...row, data: text };
  return { ...row, data: JSON.stringify(context.seal.mask(JSON.parse(text))) };
}

import { ERASED_BODY } from "../../../../db/email/conditions/event-log";
import type { EventAboutErased } from "../../../../db/email/rows";
import { DATA_IN_ENVELOPE } from "../../../../db/kit/webhooks";
import { maskAddress } from "../../../../schemas/text/address";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import type { EventSeal } from "../../../kit/webhooks/context";
import { storableData } from "../../../kit/webhooks/event-store/new-event";
import { toCanonicalJson, toEnvelopeTime } from "../../../kit/webhooks/events/envelope";
import type { EmailKeys } from "../../keys";

/** The column and event that an encrypted value is bound to. The body of a delivery uses the scope of its event's envelope. */
type SealScope = { column: "data" | "envelope"; companyId: number; eventId: string };

/** Keys of event data that contain an address. */
const ADDRESS_KEYS = ["to_email", "email"];

/** Returns the additional authenticated data of an encrypted value of an event. */
export function eventAad({ column, companyId, eventId }: SealScope): string {
  return `email:event_log:${column}:${companyId}:${eventId}`;
}

/**
 * Encrypts the envelope of a new event. The envelope contains the data, so the column `data` stores only a marker. `now` is in
 * ms since the epoch.
 */
export async function sealNewEvent(
  keys: Pick<EmailKeys, "variables">,
  event: Parameters<EventSeal["seal"]>[0],
): ReturnType<EventSeal["seal"]> {
  const { id, type, companyId, now } = event;
  const text = storableData(event.data);
  const data: unknown = JSON.parse(text);
  const envelope = toCanonicalJson({ id, type, time: toEnvelopeTime(now), company: { id: companyId }, data });
  const sealed = await sealEvent(envelope, keys, { column: "envelope", companyId, eventId: id });
  return { data: DATA_IN_ENVELOPE, envelope: sealed };
}

/** Encrypts the text of an event column. */
export function sealEvent(text: string, keys: Pick<EmailKeys, "variables">, scope: SealScope): Promise<string> {
  return seal(text, keys.variables, eventAad(scope));
}

/** Returns the data with every address masked. */
export function maskEventData(data: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(data).map(([key, value]) => [
    key,
    ADDRESS_KEYS.includes(key) && typeof value === "string" ? maskAddress(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Decrypts an event, masks every address and encrypts it again. ERASED_BODY replaces values that cannot be decrypted. */
export async function maskEvent(
  event: EventAboutErased,
  keys: Pick<EmailKeys, "variables">,
): Promise<EventAboutErased> {
  const mask = async (column: SealScope["column"], text: string) => {
    const scope = { column, companyId: event.company_id, eventId: event.event_id };
    try {
      const value = JSON.parse(await open(text, keys.variables, eventAad(scope)));
      const masked = column === "data" ? maskEventData(value) : { ...value, data: maskEventData(value.data) };
      return await sealEvent(toCanonicalJson(masked), keys, scope);
    } catch (error) {
      if (error instanceof SealError) return ERASED_BODY;
      throw error;
    }
  };
  const { data, envelope } = event;
  const [maskedData, maskedEnvelope] = await Promise.all([
    data === DATA_IN_ENVELOPE ? data : mask("data", data),
    envelope === null ? null : mask("envelope", envelope),
  ]);
  return { ...event, data: maskedData, envelope: maskedEnvelope };
}

/** Returns the functions that encrypt, decrypt and mask events for webhooks. Lists of events show masked addresses. */
export function eventSeal(keys: () => Promise<Pick<EmailKeys, "variables">>): EventSeal {
  return {
    seal: async (event) => sealNewEvent(await keys(), event),
    open: async (column, text, event) => {
      // An erasure stores this body without encryption.
      if (text === ERASED_BODY) return text;
      return open(text, (await keys()).variables, eventAad({ column, ...event }));
    },
    mask: maskEventData,
  };
}

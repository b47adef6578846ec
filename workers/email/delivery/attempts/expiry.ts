import type { MessageRow, NewEvent } from "../../../../db/email/rows";
import type { Db } from "../../../kit/db/db";
import { openAddress } from "../../records/seal/seal";
import { messageEvent, type SealedMessage } from "../../records/webhooks/event";
import type { EmailServices } from "../../services";
import { expireMessages } from "./expiry.store";
import { finalStateOfWaiting } from "./policy";

/** The fields that decide the final state of a waiting message. */
type EndingMessage = SealedMessage & Pick<MessageRow, "expires_at" | "last_error_code" | "provider">;

/**
 * Ends the waiting messages that have expired or waited too long for credentials, and inserts their events. `now` is in unix
 * ms. `fence` is the number of the job lock that a sweep run holds; it is null when a delivery calls this.
 */
export async function storeExpiries(
  services: Pick<EmailServices, "webhooks" | "keys">,
  db: Db,
  messages: readonly EndingMessage[],
  { now, fence }: { now: number; fence: number | null },
): Promise<void> {
  if (messages.length === 0) return;
  const keys = await services.keys();
  const events = messages.map(async (message): Promise<NewEvent[]> => {
    const to = await openAddress(message, keys);
    const { status, code } = finalStateOfWaiting(message);
    const event = await messageEvent(keys, message, { status, to, facts: { error_code: code }, now });
    return event === null ? [] : [event];
  });
  const ids = messages.map(({ id }) => id);
  await expireMessages(services.webhooks, db, ids, (await Promise.all(events)).flat(), { now, fence });
}

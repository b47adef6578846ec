import type { NewEvent } from "../../../db/email/rows";
import { openAddress } from "../messages/seal";
import type { EmailServices } from "../services";
import { messageEvent, type SealedMessage } from "../webhooks/event";
import { expireMessages } from "./expiry.store";

/**
 * Ends the life of messages as far as they still wait and it is over, with an event for each. `now` in unix ms; `fence`:
 * of a sweep's run.
 */
export async function storeExpiries(
  services: Pick<EmailServices, "webhooks" | "keys">,
  messages: readonly SealedMessage[],
  { now, fence }: { now: number; fence: number | null },
): Promise<void> {
  if (messages.length === 0) return;
  const keys = await services.keys();
  const events = messages.map(async (message): Promise<NewEvent[]> => {
    const to = await openAddress(message, keys);
    const event = await messageEvent(keys, message, { status: "expired", to, facts: {}, now });
    return event === null ? [] : [event];
  });
  const ids = messages.map(({ id }) => id);
  await expireMessages(services.webhooks, ids, (await Promise.all(events)).flat(), { now, fence });
}

import type { SendRequestRow } from "../../../../db/email/rows";
import type { MessageItem } from "../../../../schemas/email/intake/send";
import { openAddress } from "../../records/seal/seal";
import type { EmailServices } from "../../services";
import { findAddresses } from "./acceptance.store";

/** Returns the messages of a stored response. Messages that still exist are returned with their full address. */
export async function replayItems(services: EmailServices, row: SendRequestRow): Promise<MessageItem[]> {
  const stored = row.response as { messages: MessageItem[] };
  if (stored.messages.length === 0) return [];
  const ids = stored.messages.map(({ id }) => id.slice("msg_".length));
  const keys = await services.keys();
  const companyId = row.company_id;
  const addressRows = await services.dbOf(companyId).all(findAddresses({ companyId, ids }));
  const sealed = new Map(addressRows.map((message) => [`msg_${message.id}`, message]));
  return Promise.all(
    stored.messages.map(async (item) => {
      const message = sealed.get(item.id);
      const to = message === undefined ? null : await openAddress(message, keys);
      return to === null ? item : { ...item, to };
    }),
  );
}

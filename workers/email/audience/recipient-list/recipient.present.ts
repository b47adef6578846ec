import type { BroadcastRow } from "../../../../db/email/rows";
import type { PublicRecipient } from "../../../../schemas/email/audience/recipients";
import { iso } from "../../../kit/time";
import type { EmailKeys } from "../../keys";
import { openAddress, openSubscriberAddress } from "../../records/seal/seal";
import { openContact } from "../recipients/seal";
import { type RecipientRow, recipientStatusOf } from "./recipient-list";

/** Returns a recipient of a broadcast with its masked address. */
export function presentRecipient(row: RecipientRow, broadcast: BroadcastRow): PublicRecipient {
  if ("sent" in row) {
    const { id, status, to_masked, to_user_id, subscriber_id, language, last_error_code, accepted_at, sent_at } =
      row.sent;
    return {
      email_masked: to_masked,
      user_id: to_user_id,
      subscriber_id,
      status: recipientStatusOf(status),
      message_id: `msg_${id}`,
      language,
      last_error_code,
      accepted_at: iso(accepted_at),
      sent_at: iso(sent_at),
    };
  }
  const { email_masked, user_id, subscriber_id, status } = row.waiting;
  return {
    ...{ email_masked, user_id, subscriber_id, status },
    message_id: null,
    language: broadcast.language,
    last_error_code: null,
    accepted_at: null,
    sent_at: null,
  };
}

/** Returns the decrypted address of a recipient, or null when it was erased or cannot be decrypted. */
export async function openRecipient(
  row: RecipientRow,
  { id: broadcastId, company_id }: BroadcastRow,
  keys: Pick<EmailKeys, "variables">,
): Promise<string | null> {
  if ("sent" in row) return openAddress(row.sent, keys);
  const { contact_enc, email_hmac: emailHmac, email_enc, seal_id } = row.waiting;
  if (contact_enc !== null) return (await openContact(contact_enc, { broadcastId, emailHmac }, keys))?.email ?? null;
  return seal_id === null ? null : openSubscriberAddress({ company_id, email_enc, seal_id }, keys);
}

import type { MessageRow, SubscriberRow } from "../../../../db/email/rows";
import { open, SealError } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";

/** Returns the additional authenticated data that binds an encrypted value to its message and column. `id` is 32 hex digits. */
export function messageAad(column: "to_enc" | "variables_enc", companyId: number, id: string): string {
  return `email:messages:${column}:${companyId}:${id}`;
}

/** Returns the decrypted address of the recipient, or null when it cannot be decrypted. */
export async function openAddress(
  { id, company_id, to_enc }: Pick<MessageRow, "id" | "company_id" | "to_enc">,
  keys: Pick<EmailKeys, "variables">,
): Promise<string | null> {
  try {
    return await open(to_enc, keys.variables, messageAad("to_enc", company_id, id));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Returns the additional authenticated data that binds an encrypted value to its subscriber and column. */
export function subscriberAad(column: "email_enc" | "first_name_enc", companyId: number, sealId: string): string {
  return `email:subscribers:${column}:${companyId}:${sealId}`;
}

/** Returns the decrypted address of a subscriber, or null when it was wiped or cannot be decrypted. */
export async function openSubscriberAddress(
  { company_id, email_enc, seal_id }: Pick<SubscriberRow, "company_id" | "email_enc" | "seal_id">,
  keys: Pick<EmailKeys, "variables">,
): Promise<string | null> {
  if (email_enc === null) return null;
  try {
    return await open(email_enc, keys.variables, subscriberAad("email_enc", company_id, seal_id));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

import type { MessageRow } from "../../../../db/email/rows";
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

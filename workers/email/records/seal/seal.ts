import type { MessageRow } from "../../../../db/email/rows";
import { open, SealError } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";

/** Returns the additional data of a message's sealed columns, so that a value only opens in its own row. `id` has 32 hex digits. */
export function messageAad(column: "to_enc" | "variables_enc", companyId: number, id: string): string {
  return `email:messages:${column}:${companyId}:${id}`;
}

/** Returns the recipient's address, or null when it cannot be opened. */
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

import type { MessageRow } from "../../../../db/email/rows";
import { open, SealError } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";

/** The additional data of the sealed columns of a message (32 hex): what is sealed for one row opens in no other. */
export function messageAad(column: "to_enc" | "variables_enc", companyId: number, id: string): string {
  return `email:messages:${column}:${companyId}:${id}`;
}

/** The recipient's address, or null when it does not open. */
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

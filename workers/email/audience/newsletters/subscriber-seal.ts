import type { SubscriberRow } from "../../../../db/email/rows";
import { open, SealError } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";
import { subscriberAad } from "../../records/seal/seal";

type SealedContact = Pick<SubscriberRow, "company_id" | "seal_id" | "email_enc" | "first_name_enc">;

/**
 * Returns the decrypted address and name of a subscriber. The address is null, and the name is "", when it was wiped or cannot be
 * decrypted.
 */
export async function openContact(
  { company_id: companyId, seal_id: sealId, email_enc, first_name_enc }: SealedContact,
  keys: Pick<EmailKeys, "variables">,
): Promise<{ email: string | null; firstName: string }> {
  const opened = async (column: "email_enc" | "first_name_enc", sealed: string | null) => {
    if (sealed === null) return null;
    try {
      return await open(sealed, keys.variables, subscriberAad(column, companyId, sealId));
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  };
  const [email, firstName] = await Promise.all([
    opened("email_enc", email_enc),
    opened("first_name_enc", first_name_enc),
  ]);
  return { email, firstName: firstName ?? "" };
}

import type { RuleRow } from "../../../../db/email/rows";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";
import { Problem } from "../../problem";

type Sealed = Pick<RuleRow, "company_id" | "seal_id" | "static_recipients_enc">;
type Keys = Pick<EmailKeys, "variables">;

/** Returns the additional authenticated data of the encrypted addresses of a rule. */
export function recipientsAad({ company_id, seal_id }: Pick<RuleRow, "company_id" | "seal_id">): string {
  return `email:rules:static_recipients_enc:${company_id}:${seal_id}`;
}

/** Encrypts the addresses of a rule. Returns "" for an empty list, which needs no decryption. */
export async function sealRecipients(
  addresses: readonly string[],
  scope: Pick<RuleRow, "company_id" | "seal_id">,
  { variables }: Keys,
): Promise<string> {
  return addresses.length === 0 ? "" : seal(JSON.stringify(addresses), variables, recipientsAad(scope));
}

/** Decrypts the addresses of a rule. Throws 503 when that fails, because an empty list would skip the mail silently. */
export async function openRecipients(rule: Sealed, { variables }: Keys): Promise<string[]> {
  if (rule.static_recipients_enc === "") return [];
  try {
    return JSON.parse(await open(rule.static_recipients_enc, variables, recipientsAad(rule))) as string[];
  } catch (cause) {
    if (cause instanceof SealError) throw new Problem("service_unavailable", { cause });
    throw cause;
  }
}

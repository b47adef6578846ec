import type { CompanyProviderRow } from "../../../../db/email/rows";
import { hmacHex } from "../../../kit/crypto/hash";
import type { EmailKeys } from "../../keys";

const PREFIX = "platform-sending-domain=";

/** The TXT record with which a company proves that it controls a sending domain. */
export type ProofRecord = { type: "TXT"; name: string; value: string };

type DomainOfCompany = Pick<CompanyProviderRow, "company_id" | "sending_domain">;

/** Returns the values that prove the sending domain of the company, one per pepper. The current one is first. */
export function proofValues(
  { company_id, sending_domain }: DomainOfCompany,
  { peppers }: Pick<EmailKeys, "peppers">,
): Promise<string[]> {
  const text = `sending-domain\n${company_id}\n${sending_domain}`;
  return Promise.all(peppers.map(async (pepper) => PREFIX + (await hmacHex(pepper, text)).slice(0, 32)));
}

/** Returns the record that the company must publish, or null without a sending domain. */
export async function proofRecord(
  row: DomainOfCompany | null,
  keys: Pick<EmailKeys, "peppers">,
): Promise<ProofRecord | null> {
  if (row === null || row.sending_domain === "") return null;
  const [value = ""] = await proofValues(row, keys);
  return { type: "TXT", name: row.sending_domain, value };
}

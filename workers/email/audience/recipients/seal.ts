import type { BroadcastRow } from "../../../../db/email/rows";
import { open, SealError, seal } from "../../../kit/crypto/seal";
import type { EmailKeys } from "../../keys";
import { Problem } from "../../problem";
import { hashAddress } from "../../records/seal/address";
import { subscriberAad } from "../../records/seal/seal";
import type { EmailServices } from "../../services";

/** The address and the names of a recipient, as they are stored until the message exists. */
export type Contact = { email: string; first_name: string; last_name: string };

/** Returns the additional authenticated data of the access token that a broadcast stores. */
export function bearerAad(companyId: number, sealId: string): string {
  return `email:broadcasts:bearer_enc:${companyId}:${sealId}`;
}

/**
 * Returns the additional authenticated data of a contact. `record` is the id of the broadcast, a colon, and the hash of the
 * address.
 */
export function contactAad(record: string): string {
  return `email:broadcast_recipients:contact_enc:${record}`;
}

/** Encrypts the caller's access token, which is stored until the audience is complete. */
export function sealBearer(
  bearer: string,
  { companyId, sealId }: { companyId: number; sealId: string },
  keys: Pick<EmailKeys, "variables">,
): Promise<string> {
  return seal(bearer, keys.variables, bearerAad(companyId, sealId));
}

/** Returns the access token of a broadcast, or null when it has none or it cannot be decrypted. */
export async function openBearer(
  { bearer_enc, company_id, seal_id }: Pick<BroadcastRow, "bearer_enc" | "company_id" | "seal_id">,
  keys: Pick<EmailKeys, "variables">,
): Promise<string | null> {
  if (bearer_enc === null) return null;
  return openOrNull(() => open(bearer_enc, keys.variables, bearerAad(company_id, seal_id)));
}

/** Returns the additional authenticated data of the picked addresses of a broadcast. */
export function emailsAad(companyId: number, sealId: string): string {
  return `email:broadcasts:audience_emails_enc:${companyId}:${sealId}`;
}

/** Returns the columns that store an audience: without its addresses, and these sealed, with their hashes. */
export async function sealAudience(
  { keys, settings }: Pick<EmailServices, "keys" | "settings">,
  { emails, ...audience }: BroadcastRow["audience"],
  { companyId, sealId }: { companyId: number; sealId: string },
) {
  const columns = { audience: { ...audience, emails: [] }, list_id: audience.list_id ?? null };
  if (emails.length === 0) return { ...columns, audience_emails_enc: null, audience_hashes: null };
  const { variables } = await keys();
  const { pepper } = settings.rawKeys;
  return {
    ...columns,
    audience_emails_enc: await seal(JSON.stringify(emails), variables, emailsAad(companyId, sealId)),
    audience_hashes: await Promise.all(emails.map((email) => hashAddress(pepper, email))),
  };
}

/** Returns the complete audience of a broadcast. Throws 503 when its addresses cannot be decrypted. */
export async function openAudience(
  row: Pick<BroadcastRow, "company_id" | "seal_id" | "audience" | "audience_emails_enc">,
  { variables }: Pick<EmailKeys, "variables">,
): Promise<BroadcastRow["audience"]> {
  const { company_id, seal_id, audience, audience_emails_enc: sealed } = row;
  if (sealed === null) return audience;
  const text = await openOrNull(() => open(sealed, variables, emailsAad(company_id, seal_id)));
  if (text === null) throw new Problem("service_unavailable");
  return { ...audience, emails: JSON.parse(text) as string[] };
}

/** Encrypts the contact of a recipient. */
export function sealContact(
  contact: Contact,
  { broadcastId, emailHmac }: { broadcastId: number; emailHmac: string },
  keys: Pick<EmailKeys, "variables">,
): Promise<string> {
  return seal(JSON.stringify(contact), keys.variables, contactAad(`${broadcastId}:${emailHmac}`));
}

/** Returns the contact of a recipient, or null when it cannot be decrypted. */
export async function openContact(
  sealed: string,
  { broadcastId, emailHmac }: { broadcastId: number; emailHmac: string },
  keys: Pick<EmailKeys, "variables">,
): Promise<Contact | null> {
  const text = await openOrNull(() => open(sealed, keys.variables, contactAad(`${broadcastId}:${emailHmac}`)));
  return text === null ? null : (JSON.parse(text) as Contact);
}

async function openOrNull(openText: () => Promise<string>): Promise<string | null> {
  try {
    return await openText();
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Returns the address and first name of a subscriber, or null when they cannot be decrypted. */
export async function openSubscriber(
  subscriber: { company_id: number; email_enc: string; first_name_enc: string | null; seal_id: string },
  keys: Pick<EmailKeys, "variables">,
): Promise<Contact | null> {
  const { company_id, email_enc, first_name_enc, seal_id } = subscriber;
  const opened = (column: "email_enc" | "first_name_enc", text: string) =>
    openOrNull(() => open(text, keys.variables, subscriberAad(column, company_id, seal_id)));
  const [email, firstName] = await Promise.all([
    opened("email_enc", email_enc),
    first_name_enc === null ? "" : opened("first_name_enc", first_name_enc),
  ]);
  return email === null ? null : { email, first_name: firstName ?? "", last_name: "" };
}

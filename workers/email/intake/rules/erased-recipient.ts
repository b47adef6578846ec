import { canonicalAddress } from "../../../../schemas/text/address";
import type { Bound, RowOfStatement } from "../../../kit/db/statement";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { findWithAddresses, replaceAddresses } from "./erased-recipient.store";
import { openRecipients, sealRecipients } from "./static-recipients";

/** Maximum number of attempts. An attempt fails when a rule changes concurrently. */
const MAX_TRIES = 5;

/** Statement: the rules of a company that have a list of fixed recipients. */
export const listedAddresses = (companyId: number): Bound<ListedAddresses> => findWithAddresses({ companyId });

/** A rule with its list of fixed recipients, in encrypted form. */
export type ListedAddresses = RowOfStatement<typeof findWithAddresses>;

/** Returns the rules whose list contains the address, ignoring case. Throws 503 when a list cannot be decrypted. */
export async function rulesContaining(
  { keys }: Pick<EmailServices, "keys">,
  address: string,
  rules: readonly ListedAddresses[],
): Promise<ListedAddresses[]> {
  const keyRing = await keys();
  const lists = await Promise.all(rules.map((rule) => openRecipients(rule, keyRing)));
  const erasedAddress = canonicalAddress(address);
  return rules.filter((_, index) => lists[index]?.some((email) => canonicalAddress(email) === erasedAddress));
}

/**
 * Removes an address from the lists of the rules of a company, ignoring case. Throws 503 when a list cannot be decrypted or the
 * rules keep changing.
 */
export async function removeRecipient(
  services: Pick<EmailServices, "dbOf" | "keys" | "clock">,
  { companyId, address }: { companyId: number; address: string },
  loadedRules: readonly ListedAddresses[],
): Promise<void> {
  const db = services.dbOf(companyId);
  let rules = loadedRules;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const changes = await changesWithout(services, canonicalAddress(address), rules);
    const { replaced } = await db.batch({ replaced: changes });
    if (replaced.every((result) => result.changes > 0)) return;
    rules = await db.all(listedAddresses(companyId));
  }
  throw new Problem("service_unavailable");
}

/** Returns the statements that remove an address from the lists that contain it. */
async function changesWithout(
  { keys, clock }: Pick<EmailServices, "keys" | "clock">,
  erasedAddress: string,
  rules: readonly ListedAddresses[],
): Promise<Bound[]> {
  const keyRing = await keys();
  const changes = rules.map(async (rule) => {
    const addresses = await openRecipients(rule, keyRing);
    const remaining = addresses.filter((email) => canonicalAddress(email) !== erasedAddress);
    if (remaining.length === addresses.length) return [];
    const next = await sealRecipients(remaining, rule, keyRing);
    return [replaceAddresses({ id: rule.id, expected: rule.static_recipients_enc, next, now: clock.now() })];
  });
  return (await Promise.all(changes)).flat();
}

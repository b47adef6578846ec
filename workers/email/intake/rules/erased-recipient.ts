import { canonicalAddress } from "../../../../schemas/text/address";
import type { Bound, RowOfStatement } from "../../../kit/db/statement";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { findWithAddresses, replaceAddresses } from "./erased-recipient.store";
import { openRecipients, sealRecipients } from "./static-recipients";

/** Tries, each of which somebody who changes a rule at the same time may spoil. */
const MAX_TRIES = 5;

/** The read of the rules of a company that have addresses of their own. */
export const listedAddresses = (companyId: number): Bound<ListedAddresses> => findWithAddresses({ companyId });

/** A rule with its own addresses, sealed. */
export type ListedAddresses = RowOfStatement<typeof findWithAddresses>;

/** Those of the rules whose list has the address, whatever its case. Throws where a list does not open. */
export async function rulesNaming(
  { keys }: Pick<EmailServices, "keys">,
  address: string,
  rules: readonly ListedAddresses[],
): Promise<ListedAddresses[]> {
  const keyRing = await keys();
  const lists = await Promise.all(rules.map((rule) => openRecipients(rule, keyRing)));
  const erasedAddress = canonicalAddress(address);
  return rules.filter((_, index) => lists[index]?.some((email) => canonicalAddress(email) === erasedAddress));
}

/** Takes an address out of the lists of a company's rules, whatever its case. 503 where a list does not open. */
export async function forgetRecipient(
  services: Pick<EmailServices, "dbOf" | "keys" | "clock">,
  { companyId, address }: { companyId: number; address: string },
  found: readonly ListedAddresses[],
): Promise<void> {
  const db = services.dbOf(companyId);
  let rules = found;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const changes = await changesWithout(services, canonicalAddress(address), rules);
    const { replaced } = await db.batch({ replaced: changes });
    if (replaced.every((result) => result.changes > 0)) return;
    rules = await db.all(listedAddresses(companyId));
  }
  throw new Problem("service_unavailable");
}

/** The statements that store the lists that hold an address without it. */
async function changesWithout(
  { keys, clock }: Pick<EmailServices, "keys" | "clock">,
  forgotten: string,
  rules: readonly ListedAddresses[],
): Promise<Bound[]> {
  const keyRing = await keys();
  const changes = rules.map(async (rule) => {
    const addresses = await openRecipients(rule, keyRing);
    const remaining = addresses.filter((email) => canonicalAddress(email) !== forgotten);
    if (remaining.length === addresses.length) return [];
    const next = await sealRecipients(remaining, rule, keyRing);
    return [replaceAddresses({ id: rule.id, was: rule.static_recipients_enc, next, now: clock.now() })];
  });
  return (await Promise.all(changes)).flat();
}

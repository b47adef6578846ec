import { canonicalAddress } from "../../../../schemas/text/address";
import { openAudience, sealAudience } from "../../audience/recipients/seal";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { eraseRecipients, findListing, type ListingBroadcast, replaceListed } from "./erased-recipients.store";

/** Maximum number of batches, each of which removes the address from up to 20 broadcasts. */
const MAX_BATCHES = 50;

/**
 * Removes an address from the picked addresses of all broadcasts of a company, ignoring case. `listing` are the first of these
 * broadcasts. Recipients that a step has stored meanwhile are erased again, in the same transaction. Throws 503 when a list
 * cannot be decrypted, or the broadcasts keep changing.
 */
export async function removeFromAudiences(
  services: EmailServices,
  { companyId, address, hashes }: { companyId: number; address: string; hashes: readonly string[] },
  listing: readonly ListingBroadcast[],
): Promise<void> {
  const db = services.dbOf(companyId);
  let rows = listing;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    if (rows.length === 0) return;
    const { next } = await db.batch({
      changed: await changesWithout(services, canonicalAddress(address), rows),
      recipients: eraseRecipients({ companyId, hashes }),
      next: findListing({ companyId, hashes }),
    });
    rows = next.rows;
  }
  throw new Problem("service_unavailable");
}

async function changesWithout(services: EmailServices, erased: string, rows: readonly ListingBroadcast[]) {
  const keys = await services.keys();
  const changes = rows.map(async (row) => {
    const audience = await openAudience(row, keys);
    const emails = audience.emails.filter((email) => canonicalAddress(email) !== erased);
    const scope = { companyId: row.company_id, sealId: row.seal_id };
    const { audience_emails_enc, audience_hashes } = await sealAudience(services, { ...audience, emails }, scope);
    return replaceListed({ id: row.id, expected: row.audience_emails_enc, audience_emails_enc, audience_hashes });
  });
  return Promise.all(changes);
}

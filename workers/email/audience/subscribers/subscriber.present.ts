import type * as z from "zod";
import type { SubscriberRow } from "../../../../db/email/rows";
import type { subscriberSchema } from "../../../../schemas/email/audience/subscribers";
import { iso } from "../../../kit/time";
import type { EmailKeys } from "../../keys";
import { openContact } from "../newsletters/subscriber-seal";

/** Returns subscribers with their decrypted addresses. The address is masked when it was wiped or cannot be decrypted. */
export function presentSubscribers(
  rows: readonly SubscriberRow[],
  keys: Pick<EmailKeys, "variables">,
): Promise<z.output<typeof subscriberSchema>[]> {
  return Promise.all(
    rows.map(async (row) => {
      const { email, firstName } = await openContact(row, keys);
      const { id, language, status, source, consent } = row;
      return {
        id,
        email: email ?? row.email_masked,
        first_name: firstName,
        ...{ language, status, source },
        created_at: iso(row.created_at),
        confirmed_at: iso(row.confirmed_at),
        unsubscribed_at: iso(row.unsubscribed_at),
        consent: consent && { at: iso(consent.at), ip_hash: consent.ip_hash, text_version: consent.text_version },
      };
    }),
  );
}

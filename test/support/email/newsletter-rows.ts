import type { NewsletterRow, SubscriberRow } from "../../../db/email/rows";
import { newsletters, subscribers } from "../../../db/email/schema";
import { maskAddress } from "../../../schemas/text/address";
import { keysOf } from "../../../workers/email/keys";
import { hashAddress } from "../../../workers/email/records/seal/address";
import { subscriberAad } from "../../../workers/email/records/seal/seal";
import { seal } from "../../../workers/kit/crypto/seal";
import { testEnv } from "./email";
import { insertRow } from "./rows";

/** Stores a newsletter of the company. Its counters are 0 unless `columns` says otherwise. */
export function storeNewsletter(
  companyId: number,
  columns: Partial<typeof newsletters.$inferInsert> = {},
): Promise<NewsletterRow> {
  return insertRow(newsletters, {
    company_id: companyId,
    name: "Product news",
    public_key: `nl_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`,
    default_language: "en",
    seal_id: crypto.randomUUID(),
    confirmation_template_id: 0,
    created_at: 1,
    updated_at: 1,
    ...columns,
  });
}

/** Returns the hash of an address with the current pepper. */
export const hashOf = async (address: string): Promise<string> =>
  hashAddress((await keysOf(testEnv)).peppers[0] ?? new Uint8Array(), address);

/** Stores a subscriber, confirmed unless `columns` says otherwise. The counters of the newsletter do not change. */
export async function storeSubscriber(
  newsletter: Pick<NewsletterRow, "id" | "company_id">,
  address: string,
  columns: Partial<typeof subscribers.$inferInsert> = {},
): Promise<SubscriberRow> {
  const sealId = crypto.randomUUID();
  const { variables } = await keysOf(testEnv);
  return insertRow(subscribers, {
    list_id: newsletter.id,
    company_id: newsletter.company_id,
    email_hmac: await hashOf(address),
    email_enc: await seal(address, variables, subscriberAad("email_enc", newsletter.company_id, sealId)),
    email_masked: maskAddress(address),
    seal_id: sealId,
    language: "en",
    status: "confirmed",
    source: "form",
    created_at: 1,
    confirmed_at: 2,
    ...columns,
  });
}

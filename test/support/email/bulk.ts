import { messages } from "../../../db/email/schema";
import { deliverNow } from "../../../workers/email/delivery/attempts/delivery";
import { accept, createCompany, startDelivery, storeProvider } from "./delivery";
import { readMessage, storeMessage } from "./messages";
import { insertRows } from "./rows";

/**
 * Starts delivery for a company with its own mail API, at `perSecond` bulk mails per second (0: no limit). `store` stores bulk messages
 * and `deliver` delivers them.
 */
export async function startBulk({
  perSecond = 0,
  sender = 0,
  respond = accept,
  isPlatform = false,
  at = Date.now(),
} = {}) {
  const company = createCompany();
  const bulkRates = { company: perSecond, sender };
  const platformCompanyIds = new Set(isPlatform ? [company] : []);
  const harness = startDelivery({ respond, at, settings: { bulkRates, platformCompanyIds } });
  await storeProvider(company, { kind: "api", api_key: "k" }, { bulk_from_email: "news@aster.example" });
  const store = async (count: number, columns: Partial<typeof messages.$inferInsert> = {}) => {
    const scope = isPlatform ? "platform" : "company";
    const first = await storeMessage(company, { lane: "bulk", scope, ...columns } as never);
    const row = await readMessage(first);
    const copies = Array.from({ length: count - 1 }, () => ({
      ...row,
      id: row.id.slice(0, 12) + crypto.randomUUID().replaceAll("-", "").slice(12),
    }));
    // The sealed columns name their message, so only the first message can be read.
    await insertRows(messages, copies);
    return [first, ...copies.map(({ id }) => id)];
  };
  const deliver = (ids: readonly string[], services = harness.build()) =>
    deliverNow(
      services,
      ids.map((id) => ({ id, company_id: company })),
      "bulk",
    );
  return { company, harness, store, deliver };
}

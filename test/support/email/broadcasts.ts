import { broadcasts } from "../../../db/email/schema";
import { insertRow } from "./rows";

/** Stores a broadcast, by default one that is being sent. Returns its id and `provider_ref`. */
export async function storeBroadcast(
  companyId: number,
  overrides: Partial<typeof broadcasts.$inferInsert> = {},
): Promise<{ id: number; ref: string }> {
  const ref = `bc_${crypto.randomUUID().replaceAll("-", "")}`;
  const now = Date.now();
  const { id } = await insertRow(broadcasts, {
    company_id: companyId,
    name: "Launch",
    state: "sending",
    template_id: 1,
    template_key: `company.${companyId}.broadcast`,
    language: "en",
    audience: {} as (typeof broadcasts.$inferInsert)["audience"],
    provider_ref: ref,
    seal_id: crypto.randomUUID(),
    request_id: "r",
    created_at: now,
    updated_at: now,
    ...overrides,
  });
  return { id, ref };
}

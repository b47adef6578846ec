import type { EnvelopeCompany } from "../../kit/webhooks/events/envelope";
import { findCompany, findCompanyName } from "../companies/company";
import { PROFILE_MISSING } from "../metrics/figures";
import type { StorageServices } from "../services";
import { addToTotal } from "./company.store";

/**
 * Returns the company as envelopes name it: by the names that storage keeps, before the company's first use by those that identity
 * answers. When neither has any, both are empty, and `platform_storage_company_profile_missing_total` counts it.
 */
export async function companyOf(services: StorageServices, id: number): Promise<EnvelopeCompany> {
  const db = services.dbOf(id);
  const known = (await db.first(findCompany({ companyId: id }))) ?? (await findCompanyName(services, id));
  if (known !== null) return { id, slug: known.slug, name: known.name };
  await db.run(addToTotal({ companyId: id, name: PROFILE_MISSING }));
  return { id, slug: "", name: "" };
}

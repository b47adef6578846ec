import type { EnvelopeCompany } from "../../kit/webhooks/events/envelope";
import { findCompany, tryFetchCompany } from "../companies/company";
import { PROFILE_MISSING } from "../metrics/gauges";
import type { StorageServices } from "../services";
import { addToTotal } from "./company.store";

/**
 * Returns the company for event envelopes. The names come from storage or, before the company's first use, from identity. If
 * neither knows the company, returns empty names and increments `platform_storage_company_profile_missing_total`.
 */
export async function companyOf(services: StorageServices, id: number): Promise<EnvelopeCompany> {
  const db = services.dbOf(id);
  const company = (await db.first(findCompany({ companyId: id }))) ?? (await tryFetchCompany(services, id));
  if (company !== null) return { id, slug: company.slug, name: company.name };
  await db.run(addToTotal({ companyId: id, name: PROFILE_MISSING }));
  return { id, slug: "", name: "" };
}

import type { EnvelopeCompany } from "../../kit/webhooks/events/envelope";
import { findCompany } from "../companies/company";
import type { StorageServices } from "../services";

/** The company as envelopes name it; both names are empty before its first use. */
export async function companyOf({ dbOf }: StorageServices, id: number): Promise<EnvelopeCompany> {
  const { slug = "", name = "" } = (await dbOf(id).first(findCompany({ companyId: id }))) ?? {};
  return { id, slug, name };
}

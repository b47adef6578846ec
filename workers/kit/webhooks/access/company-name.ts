import type { WebhookScope, WebhooksApi, WebhooksServices } from "../api";
import type { EnvelopeCompany } from "../events/envelope";

/** Returns a company as envelopes name it: from the scope of the call where that has the names, else as the service says. */
export async function nameCompany<S extends WebhooksServices>(
  { companyOf }: Pick<WebhooksApi<S>, "companyOf">,
  services: S,
  { company }: Pick<WebhookScope, "company">,
  id: number,
): Promise<EnvelopeCompany> {
  return company.id === id && company.name !== undefined ? company : companyOf(services, id);
}

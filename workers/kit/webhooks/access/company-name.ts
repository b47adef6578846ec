import type { WebhookScope, WebhooksApi, WebhooksServices } from "../api";
import type { EnvelopeCompany } from "../events/envelope";

/**
 * Returns a company as it appears in envelopes: from the scope of the call if the scope contains the company and its
 * name, else from the service.
 */
export async function companyWithName<S extends WebhooksServices>(
  { companyOf }: Pick<WebhooksApi<S>, "companyOf">,
  services: S,
  { company }: Pick<WebhookScope, "company">,
  id: number,
): Promise<EnvelopeCompany> {
  return company.id === id && company.name !== undefined ? company : companyOf(services, id);
}

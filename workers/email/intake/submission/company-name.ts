import type { CompanyProviderRow } from "../../../../db/email/rows";
import { plainName } from "../../../../schemas/text/name";
import { isAbsent, type JsonObject } from "../../../kit/json";
import { toText } from "../../content/catalog/variables";
import { canStoreName, type ServiceClient } from "../../records/clients/service-client";
import type { EmailSettings } from "../../settings";

/** The company name in a mail, or "". `store` is the name to store for later mail, or null. */
export type CompanyName = {
  value: string;
  source: "request" | "stored" | "provider" | "none";
  store: string | null;
};

/** The stored sources of the company name. */
type NameFacts = { storedName: string | null; provider: CompanyProviderRow | null };

const MAX_NAME_LENGTH = 255;

/**
 * Returns the company name as plain text: the name in the request, else the stored name, else the `from_name` of the provider
 * unless it is the platform name. `store` is set only if `canStoreName` allows the caller to change the stored name.
 */
export function resolveCompanyName(
  body: JsonObject,
  facts: NameFacts,
  caller: { client: ServiceClient; companyId: number },
  settings: EmailSettings,
): CompanyName {
  const requested = isAbsent(body.company_name) ? "" : plainName(toText(body.company_name).trim());
  if (requested !== "") {
    const isStorable =
      requested.length <= MAX_NAME_LENGTH &&
      requested !== facts.storedName &&
      !/\p{Cc}/u.test(requested) &&
      canStoreName(caller.client, caller.companyId);
    return { value: requested, source: "request", store: isStorable ? requested : null };
  }
  return storedCompanyName(facts, settings);
}

/** Returns the company name of mail that no service requested. */
export function storedCompanyName(facts: NameFacts, settings: Pick<EmailSettings, "defaultFrom">): CompanyName {
  const stored = plainName(facts.storedName ?? "");
  if (stored !== "") return { value: stored, source: "stored", store: null };
  const fromName = plainName(facts.provider?.from_name ?? "");
  if (fromName !== "" && fromName.toLowerCase() !== settings.defaultFrom.name.toLowerCase()) {
    return { value: fromName, source: "provider", store: null };
  }
  return { value: "", source: "none", store: null };
}

import type { CompanyProviderRow } from "../../../../db/email/rows";
import type { CONFIGURATION_ERRORS } from "../../../../schemas/email/delivery/provider";
import type { EmailServices } from "../../services";
import { settingsTable } from "../../settings";
import { companySender } from "../sender/sender";
import { findTransport } from "../transports/catalog";

/** The reason why a stored provider cannot send. `setting` is the deployment variable that causes it. */
export type ConfigurationError = { error_code: (typeof CONFIGURATION_ERRORS)[number]; setting: string };

/** Returns why the provider of a company cannot send sign-in mail, or null when it can or when no provider is stored. */
export async function findConfigurationError(
  { settings, keys }: Pick<EmailServices, "settings" | "keys">,
  row: CompanyProviderRow | null,
): Promise<ConfigurationError | null> {
  if (row === null) return null;
  const choice = await companySender("auth", row, settings, await keys());
  if (choice.ok) return null;
  const refusal = findTransport(row.provider)?.refuseCompanies(settings);
  if (refusal) return { error_code: refusal.code, setting: refusal.setting };
  return { error_code: "credentials_unreadable", setting: settingsTable.rawKeys.credentials.name };
}

import type * as z from "zod";
import type { providerSchema } from "../../../../schemas/email/delivery/provider";
import { iso } from "../../../kit/time";
import type { EmailSettings } from "../../settings";
import type { ProofRecord } from "../sender-domains/domain-proof";
import { platformTransport } from "../transports/catalog";
import type { ConfigurationError } from "./configuration";
import { presentLanesOfCompany } from "./lane.present";
import type { ProviderState } from "./provider.store";

type PublicProvider = z.output<typeof providerSchema>;

/** Returns the provider of a company, with hints instead of secrets. `error` is the reason why it cannot send, or null. `record` proves
 * its sending domain. */
export function presentProvider(
  companyId: number,
  state: ProviderState,
  { error, record }: { error: ConfigurationError | null; record: ProofRecord | null },
  settings: EmailSettings,
): PublicProvider {
  const { row } = state;
  return {
    company_id: companyId,
    configured: row !== null && error === null,
    configuration_error: error,
    provider: row?.provider ?? null,
    from_email: row?.from_email ?? settings.defaultFrom.address,
    from_name: row?.from_name ?? "",
    sending_domain: row?.sending_domain ?? "",
    sending_domain_record: record,
    bulk_from_email: row?.bulk_from_email ?? settings.bulkFrom.address,
    reply_to: row?.reply_to ?? "",
    optional_tags: row?.optional_tags ?? [],
    credentials_hint: row?.credentials_hint ?? "",
    webhook_configured: row !== null && row.webhook_secret_enc !== null,
    webhook_hint: row?.webhook_hint ?? "",
    webhook_path: `/api/v1/provider-webhooks/api/events?company_id=${companyId}`,
    fallback_provider: settings.fallbackProvider,
    platform_transport: settings.platformTransport,
    fallback_configured: isPlatformConfigured(settings),
    smtp_allowed: settings.allowCompanySmtp,
    auth_link_hosts: [...settings.authLinkHosts],
    lanes: presentLanesOfCompany(state.pauses),
    updated_at: iso(row?.updated_at ?? null),
  };
}

function isPlatformConfigured(settings: EmailSettings): boolean {
  const { platformTransport: name } = settings;
  return name !== "none" && platformTransport(name).platformCredentials(settings) !== null;
}

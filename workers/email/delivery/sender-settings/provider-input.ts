import type { CompanyProviderRow } from "../../../../db/email/rows";
import { tagPattern } from "../../../../schemas/email/delivery/provider";
import type { CompanyTransportName } from "../../../../schemas/email/delivery/transports";
import type { FieldErrors } from "../../../../schemas/errors";
import { isHostName } from "../../../../schemas/text/address";
import { isLine } from "../../../../schemas/text/text";
import { invalid } from "../../../kit/problem";
import { Problem } from "../../problem";
import { readAddress } from "../../records/seal/address";
import type { EmailSettings } from "../../settings";
import type { ProviderCredentials, TransportDefinition } from "../providers/types";
import { isPlatformAddress, type SenderSettings } from "../sender/sender";
import { findTransport } from "../transports/catalog";
import { readCredentialsInput, readWebhookChange, type WebhookChange } from "./credentials-input";

/** The fields of the row after a PUT. Null `credentials` keep the stored credentials. */
export type ProviderChange = {
  provider: CompanyTransportName;
  from_email: string;
  from_name: string;
  sending_domain: string;
  bulk_from_email: string;
  reply_to: string;
  optional_tags: string[];
  credentials: ProviderCredentials | null;
  webhook: WebhookChange;
};

type Body = Record<string, unknown>;
type Settings = Pick<EmailSettings, "debug"> & SenderSettings;
type Texts = Pick<ProviderChange, "from_name" | "sending_domain" | "bulk_from_email" | "reply_to">;

const MAX_NAME_LENGTH = 128;
const MAX_DOMAIN_LENGTH = 253;
const MAX_OPTIONAL_TAGS = 50;
const TAG = new RegExp(tagPattern);

/**
 * Checks the body of a PUT and returns the change. Throws the first error. The order is defined in
 * docs/specification/email-senders.md#checks-of-a-change.
 */
export async function readProviderChange(
  companyId: number,
  body: Body,
  stored: CompanyProviderRow | null,
  settings: Settings,
  resolve: (name: string) => Promise<string[]>,
): Promise<ProviderChange> {
  const transport = readProvider(body.provider, stored);
  const from_email = readFrom(body.from_email);
  const texts = readTexts(body, stored);
  const optional_tags = readOptionalTags(body.optional_tags, stored);
  if (!settings.platformCompanyIds.has(companyId)) {
    rejectPlatformAddress({ from_email, bulk_from_email: texts.bulk_from_email }, settings);
  }
  requireAllowedTransport(transport, settings);
  const isSameProvider = stored?.provider === transport.name;
  const context = { debug: settings.debug, resolve };
  const credentials = await readCredentialsInput(transport, body.credentials, isSameProvider, context);
  return {
    provider: transport.name,
    from_email,
    ...texts,
    optional_tags,
    credentials,
    webhook: readWebhookChange(body),
  };
}

function readProvider(value: unknown, stored: CompanyProviderRow | null): TransportDefinition {
  const name = value ?? stored?.provider;
  if (name === undefined) throw invalid({ provider: ["required"] });
  const transport = findTransport(name);
  if (transport === null) {
    throw new Problem("provider_not_available", { field_errors: { provider: ["not_available"] } });
  }
  return transport;
}

function requireAllowedTransport(transport: TransportDefinition, settings: Settings): void {
  const refusal = transport.refuseCompanies(settings);
  if (refusal?.code === "company_smtp_disabled") throw new Problem("company_smtp_refused");
  if (refusal === null) return;
  throw new Problem(refusal.code, {
    field_errors: { provider: ["not_configured"] },
    extra: { setting: refusal.setting },
  });
}

function readFrom(value: unknown): string {
  if (value === undefined || value === null || value === "") throw invalid({ from_email: ["required"] });
  const address = typeof value === "string" ? readAddress(value) : null;
  if (address === null) throw invalid({ from_email: ["invalid_format"] });
  return address;
}

/** Reads the text fields. A missing field keeps the stored value; "" clears it. */
function readTexts(body: Body, stored: CompanyProviderRow | null): Texts {
  const fields: FieldErrors = {};
  const read = (name: keyof Texts, check: (text: string) => string | null): string => {
    const value = body[name];
    if (value === undefined) return stored?.[name] ?? "";
    if (typeof value !== "string") {
      fields[name] = ["invalid"];
      return "";
    }
    const text = value.trim();
    const code = text === "" ? null : check(text);
    if (code !== null) fields[name] = [code];
    return text;
  };
  const texts = {
    from_name: read("from_name", checkName),
    sending_domain: read("sending_domain", checkDomain).toLowerCase(),
    bulk_from_email: read("bulk_from_email", checkAddress),
    reply_to: read("reply_to", checkAddress),
  };
  if (Object.keys(fields).length > 0) throw invalid(fields);
  return texts;
}

/** Reads the optional tags. A missing field keeps the stored ones. */
function readOptionalTags(value: unknown, stored: CompanyProviderRow | null): string[] {
  if (value === undefined) return stored?.optional_tags ?? [];
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== "string" || !TAG.test(tag))) {
    throw invalid({ optional_tags: ["invalid"] });
  }
  if (value.length > MAX_OPTIONAL_TAGS) throw invalid({ optional_tags: ["too_many"] });
  return [...new Set(value as string[])];
}

function checkName(text: string): string | null {
  // The name becomes part of a mail header.
  if (!isLine(text)) return "invalid";
  return [...text].length > MAX_NAME_LENGTH ? "too_long" : null;
}

function checkDomain(text: string): string | null {
  if (text.length > MAX_DOMAIN_LENGTH) return "too_long";
  return isHostName(text) ? null : "invalid";
}

function checkAddress(text: string): string | null {
  return readAddress(text) === null ? "invalid_format" : null;
}

function rejectPlatformAddress(addresses: Record<string, string>, settings: Settings): void {
  const fields: FieldErrors = {};
  for (const [name, address] of Object.entries(addresses)) {
    if (isPlatformAddress(address, settings)) fields[name] = ["platform_from"];
  }
  if (Object.keys(fields).length > 0) throw new Problem("platform_from_refused", { field_errors: fields });
}

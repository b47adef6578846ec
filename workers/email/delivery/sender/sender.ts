import type { CompanyProviderRow, LaneStateRow } from "../../../../db/email/rows";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { TransportName } from "../../../../schemas/email/delivery/transports";
import { canonicalAddress } from "../../../../schemas/text/address";
import { cleanHeaderText } from "../../content/tokens/substitution";
import type { EmailSettings } from "../../settings";
import type { TransportConfig, TransportSettings } from "../providers/types";
import { findTransport, platformTransport, transports } from "../transports/catalog";
import { fingerprintCredentials, openCredentials, type SenderKeys } from "./credentials";
import { provenDomain } from "./proven-domain";

export type Scope = "company" | "platform";

/** The settings that sender selection reads. */
export type SenderSettings = TransportSettings &
  Pick<EmailSettings, "platformTransport" | "defaultFrom" | "bulkFrom" | "platformCompanyIds">;

/**
 * The sender of an attempt: the From header, the transport with its credentials, and the reason why this sender was chosen.
 * `fingerprint` identifies the credentials.
 */
export type Sender = {
  scope: Scope;
  provider: TransportName;
  from: { name: string; address: string };
  replyTo?: string;
  transport: TransportConfig;
  fingerprint: string;
  reason: string;
  /** the domain at which the company may choose any From address, or "" */
  provenDomain?: string;
};

export type SenderRefusal =
  | "platform_sender_not_allowed"
  | "company_smtp_disabled"
  | "provider_not_configured"
  | "bulk_sender_required";

export type SenderChoice = { ok: true; sender: Sender } | { ok: false; code: SenderRefusal };

export type SenderInput = {
  lane: Lane;
  companyId: number;
  usePlatformSender: boolean;
  /** whether the platform may send when the company has no usable provider; always true in the auth lane */
  hasPlatform: boolean;
  providerRow: CompanyProviderRow | null;
};

/** Chooses the sender when a message is accepted; see docs/specification/email-senders.md#sender-selection. */
export async function chooseSender(
  input: SenderInput,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<SenderChoice> {
  const { lane, companyId, usePlatformSender, hasPlatform, providerRow } = input;
  if (usePlatformSender) return platformSender(lane, settings, keys, "platform_requested");
  const isPlatformCompany = settings.platformCompanyIds.has(companyId);
  if (providerRow !== null) {
    const choice = await companySender(lane, providerRow, settings, keys);
    if (choice.ok) return choice;
    if (!hasPlatform) {
      if (choice.code === "company_smtp_disabled") return choice;
      if (choice.code === "bulk_sender_required" && !isPlatformCompany) return choice;
    }
  }
  if (!hasPlatform && !isPlatformCompany) return { ok: false, code: "platform_sender_not_allowed" };
  return platformSender(lane, settings, keys, isPlatformCompany ? "platform_company" : "fallback");
}

/** Returns the sender of a company, or the code of the reason why its provider cannot send in this lane. */
export async function companySender(
  lane: Lane,
  row: CompanyProviderRow,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<SenderChoice> {
  const definition = findTransport(row.provider);
  if (definition === null) return { ok: false, code: "provider_not_configured" };
  const refusal = definition.refuseCompanies(settings);
  if (refusal !== null) return { ok: false, code: refusal.code };
  const credentials = await openCredentials(row, keys.credentials);
  const transport = credentials === null ? null : definition.configure(credentials, "company", settings);
  if (transport === null || row.from_email === "") return { ok: false, code: "provider_not_configured" };
  const address = lane === "bulk" ? row.bulk_from_email : row.from_email;
  if (address === "") return { ok: false, code: "bulk_sender_required" };
  return {
    ok: true,
    sender: {
      scope: "company",
      provider: row.provider,
      from: { name: row.from_name, address },
      ...(row.reply_to === "" ? {} : { replyTo: row.reply_to }),
      transport,
      fingerprint: row.fingerprint,
      reason: "company_provider",
      provenDomain: provenDomain(row),
    },
  };
}

/**
 * Returns the platform sender: the transport of the settings with the platform From of the lane. Refuses bulk mail when the
 * transport sends none.
 */
export async function platformSender(
  lane: Lane,
  settings: SenderSettings,
  keys: SenderKeys,
  reason = "fallback",
): Promise<SenderChoice> {
  const sender = await platformSenderWith(settings.platformTransport, lane, settings, keys, reason);
  if (sender === null) return { ok: false, code: "provider_not_configured" };
  if (lane === "bulk" && !platformTransport(sender.provider).sendsBulk)
    return { ok: false, code: "bulk_sender_required" };
  return { ok: true, sender };
}

/**
 * Returns the fingerprint of the current platform credentials, or "" when none are set. A pause with another fingerprint is
 * no longer in force. The credentials are the same in every lane.
 */
export async function fingerprintPlatform(settings: SenderSettings, keys: SenderKeys): Promise<string> {
  const platform = await platformSender("auth", settings, keys);
  return platform.ok ? platform.sender.fingerprint : "";
}

/**
 * Returns the sender that a message moves to when its first sender fails, or null when none exists. A message moves from the
 * company to the platform, or from the platform to another transport for which the platform has credentials.
 */
export async function otherSender(
  first: Pick<Sender, "scope" | "provider">,
  lane: Lane,
  settings: SenderSettings,
  keys: SenderKeys,
): Promise<Sender | null> {
  if (first.scope === "company") {
    return platformSenderWith(settings.platformTransport, lane, settings, keys, "other_sender");
  }
  const others = Object.values(transports).filter(({ name }) => name !== first.provider);
  const other = others.find((transport) => transport.platformCredentials(settings) !== null);
  return other === undefined ? null : platformSenderWith(other.name, lane, settings, keys, "other_sender");
}

/** Returns the address for replies: the Reply-To or the From of the company. Null for the platform From, which nobody reads. */
export function replyAddress({ scope, from, replyTo }: Pick<Sender, "scope" | "from" | "replyTo">): string | null {
  return replyTo ?? (scope === "company" ? from.address : null);
}

/** Returns whether a request may choose this From address: the one of the sender, or one at the proven domain of the company. */
export function canSendFrom(
  { from, provenDomain = "" }: Pick<Sender, "from" | "provenDomain">,
  address: string,
): boolean {
  const canonical = canonicalAddress(address);
  if (canonical === canonicalAddress(from.address)) return true;
  return provenDomain !== "" && canonical.slice(canonical.lastIndexOf("@") + 1) === provenDomain;
}

/** Returns whether an address is a platform From. The comparison ignores case. */
export function isPlatformAddress(address: string, settings: SenderSettings): boolean {
  const platform = [settings.defaultFrom, settings.bulkFrom].map((from) => canonicalAddress(from.address));
  return address !== "" && platform.includes(canonicalAddress(address));
}

async function platformSenderWith(
  provider: TransportName | "none",
  lane: Lane,
  settings: SenderSettings,
  keys: SenderKeys,
  reason: string,
): Promise<Sender | null> {
  const from = lane === "bulk" ? settings.bulkFrom : settings.defaultFrom;
  if (provider === "none") return null;
  const definition = platformTransport(provider);
  const credentials = definition.platformCredentials(settings);
  if (credentials === null) return null;
  const transport = definition.configure(credentials, "platform", settings);
  if (transport === null) return null;
  const fingerprint = await fingerprintCredentials(definition, credentials, keys);
  return { scope: "platform", provider: definition.name, from, transport, fingerprint, reason };
}

/**
 * Returns the pause that holds a message back, or null. A pause applies to all companies, or to one company and the scope of
 * the sender. A pause for rejected credentials applies only while those credentials are in use.
 */
export function findPause(
  pauses: readonly LaneStateRow[],
  sender: Pick<Sender, "scope" | "fingerprint"> | null,
): LaneStateRow | null {
  const holds = (row: LaneStateRow) =>
    row.paused &&
    (row.company_id === 0 ||
      (row.scope === sender?.scope && (row.fingerprint === null || row.fingerprint === sender.fingerprint)));
  return pauses.find(holds) ?? null;
}

/**
 * Returns the From name: the name of the sender, or `{company} via {platform}` when the platform sends for a company with a
 * different name.
 */
export function fromName({ scope, from }: Sender, companyName: string): string {
  const name = cleanHeaderText(from.name);
  const company = cleanHeaderText(companyName);
  const addsCompanyName = scope === "platform" && company !== "" && company.toLowerCase() !== name.toLowerCase();
  return addsCompanyName ? `${company} via ${name}` : name;
}

import type { CompanyProviderRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import { changeEntry } from "../../../kit/audit/audit";
import { type KeyRing, open, SealError, seal } from "../../../kit/crypto/seal";
import { uuid } from "../../../kit/ids";
import { resolveOverHttps } from "../../../kit/net/dns";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import { enqueueWaitingInBackground } from "../queue/waiting";
import { hintOf, type SenderKeys, sealCredentials } from "../sender/credentials";
import { fingerprintPlatform } from "../sender/sender";
import { findTransport } from "../transports/catalog";
import type { WebhookChange } from "./credentials-input";
import { findProvider, type ProviderState, storeProvider } from "./provider.store";
import { type ProviderChange, readProviderChange } from "./provider-input";

const MAX_TRIES = 3;

type WebhookColumns = Pick<
  CompanyProviderRow,
  "webhook_secret_enc" | "webhook_previous_enc" | "webhook_previous_expires_at" | "webhook_hint"
>;
type CredentialScope = { companyId: number; sealId: string };

const NO_WEBHOOK: WebhookColumns = {
  webhook_secret_enc: null,
  webhook_previous_enc: null,
  webhook_previous_expires_at: null,
  webhook_hint: "",
};

/** Returns the statement that reads the provider of a company. */
export const selectProvider = (companyId: number) => findProvider({ companyId });

/**
 * Validates the body of a PUT against the stored row and stores the result. Retries when the row changed in the meantime.
 * Throws 409 `conflict` after 3 attempts.
 */
export async function saveProvider(
  services: EmailServices,
  companyId: number,
  body: Record<string, unknown>,
  actor: AuditActor,
): Promise<ProviderState> {
  const { settings } = services;
  const db = services.dbOf(companyId);
  const resolve = (name: string) => resolveOverHttps(name, settings.dnsResolverUrl, services.fetch);
  const keys = await services.keys();
  const platform = await fingerprintPlatform(settings, keys);
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const stored = await db.first(findProvider({ companyId }));
    const change = await readProviderChange(companyId, body, stored, settings, resolve);
    const now = services.clock.now();
    const row = await buildProviderRow(companyId, change, stored, keys, now);
    const hasNewCredentials = change.credentials !== null;
    const changes = { fields: changedFields(row, stored) };
    const entry = changeEntry({ actor, companyId, action: "provider.saved", target: "provider", changes, now });
    const state = await storeProvider(db, row, stored?.updated_at ?? null, hasNewCredentials, platform, entry);
    if (state === null) continue;
    if (hasNewCredentials) enqueueWaitingInBackground(services, LANES, companyId);
    return state;
  }
  throw new Problem("conflict");
}

/** API field names of a provider, by column. */
const FIELDS = {
  provider: "provider",
  from_email: "from_email",
  from_name: "from_name",
  sending_domain: "sending_domain",
  bulk_from_email: "bulk_from_email",
  reply_to: "reply_to",
  optional_tags: "optional_tags",
  credentials_enc: "credentials",
  webhook_secret_enc: "webhook_secret",
} satisfies Partial<Record<keyof CompanyProviderRow, string>>;

/** Returns the names of the fields whose stored value changed. */
function changedFields(row: CompanyProviderRow, stored: CompanyProviderRow | null): string[] {
  const columns = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
  // The text of a list, because equal lists are different objects.
  const textOf = (value: string | readonly string[] | null | undefined) => (value ?? "").toString();
  return columns.flatMap((column) => (textOf(row[column]) === textOf(stored?.[column]) ? [] : [FIELDS[column]]));
}

/** Returns the additional authenticated data of the sealed webhook secrets. */
export function webhookAad(
  column: "webhook_secret_enc" | "webhook_previous_enc",
  { companyId, sealId }: CredentialScope,
): string {
  return `email:company_providers:${column}:${companyId}:${sealId}`;
}

/** Returns the row to store after a PUT. Its secrets are sealed. `stored` is the row that the change was validated against. */
async function buildProviderRow(
  companyId: number,
  change: ProviderChange,
  stored: CompanyProviderRow | null,
  keys: SenderKeys,
  now: number,
): Promise<CompanyProviderRow> {
  const scope = { companyId, sealId: stored?.seal_id ?? uuid() };
  const { credentials, webhook, ...fields } = change;
  const unchangedRow = credentials === null ? stored : null;
  return {
    company_id: companyId,
    seal_id: scope.sealId,
    ...fields,
    ...(unchangedRow === null ? await newCredentials(credentials, scope, keys) : pickCredentials(unchangedRow)),
    ...(await buildWebhook(webhook, stored, scope, keys.credentials, now)),
    // The domain is checked again, because a save usually follows a change of the sender or of its DNS records.
    domain_health: null,
    // The value must increase with every write, because the next write compares it.
    updated_at: Math.max(now, (stored?.updated_at ?? 0) + 1),
  };
}

function pickCredentials(row: CompanyProviderRow) {
  const { credentials_enc, credentials_hint, fingerprint } = row;
  return { credentials_enc, credentials_hint, fingerprint };
}

function newCredentials(credentials: ProviderChange["credentials"], scope: CredentialScope, keys: SenderKeys) {
  if (credentials === null) throw new Error("a new provider row needs credentials");
  return sealCredentials(credentials, scope, keys);
}

async function buildWebhook(
  change: WebhookChange,
  stored: CompanyProviderRow | null,
  scope: CredentialScope,
  keys: KeyRing,
  now: number,
): Promise<WebhookColumns> {
  if (change.kind === "clear") return NO_WEBHOOK;
  if (change.kind === "keep") return stored === null ? NO_WEBHOOK : pickWebhook(stored);
  const old = stored === null ? null : await openWebhook(stored, scope, keys);
  // Sending the same secret again is not a rotation, so a previous secret remains valid until its overlap ends.
  if (stored !== null && old === change.secret) return pickWebhook(stored);
  const overlap = old === null || change.overlapMs === 0 ? null : old;
  return {
    webhook_secret_enc: await seal(change.secret, keys, webhookAad("webhook_secret_enc", scope)),
    webhook_hint: hintOf(change.secret),
    webhook_previous_enc:
      overlap === null ? null : await seal(overlap, keys, webhookAad("webhook_previous_enc", scope)),
    webhook_previous_expires_at: overlap === null ? null : now + change.overlapMs,
  };
}

function pickWebhook(row: CompanyProviderRow): WebhookColumns {
  const { webhook_secret_enc, webhook_previous_enc, webhook_previous_expires_at, webhook_hint } = row;
  return { webhook_secret_enc, webhook_previous_enc, webhook_previous_expires_at, webhook_hint };
}

/** Returns the stored secret, or null when none is stored or it cannot be decrypted. */
async function openWebhook(row: CompanyProviderRow, scope: CredentialScope, keys: KeyRing): Promise<string | null> {
  if (row.webhook_secret_enc === null) return null;
  try {
    return await open(row.webhook_secret_enc, keys, webhookAad("webhook_secret_enc", scope));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/**
 * Returns the secrets that verify the webhooks of a company: the current secret and, during the overlap, the previous one.
 * Returns none when the company has no provider. For webhooks of the HTTP mail API (`isStandard`), returns none unless the
 * company sends through that API. `now` is in unix ms.
 */
export async function openWebhookSecrets(
  row: CompanyProviderRow | null,
  { credentials }: SenderKeys,
  now: number,
  isStandard: boolean,
): Promise<string[]> {
  if (row === null || (isStandard && findTransport(row.provider)?.hasStandardWebhooks !== true)) return [];
  const scope = { companyId: row.company_id, sealId: row.seal_id };
  const isOver = (row.webhook_previous_expires_at ?? 0) <= now;
  const columns = ["webhook_secret_enc", ...(isOver ? [] : (["webhook_previous_enc"] as const))] as const;
  const opened = columns.map(async (column) => {
    const sealed = row[column];
    try {
      return sealed === null ? [] : [await open(sealed, credentials, webhookAad(column, scope))];
    } catch (error) {
      if (error instanceof SealError) return [];
      throw error;
    }
  });
  return (await Promise.all(opened)).flat();
}

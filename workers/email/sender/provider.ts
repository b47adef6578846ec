import { uuid } from "../../kit/crypto/random";
import { type KeyRing, open, SealError, seal } from "../../kit/crypto/seal";
import type { EmailKeys } from "../keys";
import type { CompanyProviderRow } from "./company-provider.store";
import { credentialsHint, hintOf } from "./credentials";
import type { ProviderChange } from "./provider-input";
import { credentialsAad, fingerprintCredentials, type ProviderCredentials } from "./sender";
import type { WebhookChange } from "./webhook-secret";

type CredentialColumns = Pick<CompanyProviderRow, "credentials_enc" | "credentials_hint" | "fingerprint">;
type WebhookColumns = Pick<
  CompanyProviderRow,
  "webhook_secret_enc" | "webhook_previous_enc" | "webhook_previous_expires_at" | "webhook_hint"
>;
type Place = { companyId: number; sealId: string };

/** The additional data of the sealed webhook secrets (email details 15.1). */
export function webhookAad(
  column: "webhook_secret_enc" | "webhook_previous_enc",
  { companyId, sealId }: Place,
): string {
  return `email:company_providers:${column}:${companyId}:${sealId}`;
}

/** The row after a PUT, everything secret sealed. `stored` is the row that the change was judged against. */
export async function buildProviderRow(
  companyId: number,
  change: ProviderChange,
  stored: CompanyProviderRow | null,
  keys: Pick<EmailKeys, "credentials" | "peppers">,
  now: number,
): Promise<CompanyProviderRow> {
  const place = { companyId, sealId: stored?.seal_id ?? uuid() };
  const { credentials, webhook, ...fields } = change;
  const kept = credentials === null ? stored : null;
  return {
    company_id: companyId,
    seal_id: place.sealId,
    ...fields,
    ...(kept === null ? await sealCredentials(credentials, place, keys) : pickCredentials(kept)),
    ...(await buildWebhook(webhook, stored, place, keys.credentials, now)),
    // Strictly growing: the write is conditional on it.
    updated_at: Math.max(now, (stored?.updated_at ?? 0) + 1),
  };
}

function pickCredentials(row: CompanyProviderRow): CredentialColumns {
  const { credentials_enc, credentials_hint, fingerprint } = row;
  return { credentials_enc, credentials_hint, fingerprint };
}

async function sealCredentials(
  credentials: ProviderCredentials | null,
  { companyId, sealId }: Place,
  keys: Pick<EmailKeys, "credentials" | "peppers">,
): Promise<CredentialColumns> {
  if (credentials === null) throw new Error("a new provider row needs credentials");
  const { kind: _kind, ...values } = credentials;
  return {
    credentials_enc: await seal(JSON.stringify(values), keys.credentials, credentialsAad(companyId, sealId)),
    credentials_hint: credentialsHint(credentials),
    fingerprint: await fingerprintCredentials(credentials, keys),
  };
}

const noWebhook: WebhookColumns = {
  webhook_secret_enc: null,
  webhook_previous_enc: null,
  webhook_previous_expires_at: null,
  webhook_hint: "",
};

async function buildWebhook(
  change: WebhookChange,
  stored: CompanyProviderRow | null,
  place: Place,
  keys: KeyRing,
  now: number,
): Promise<WebhookColumns> {
  if (change.kind === "clear") return noWebhook;
  if (change.kind === "keep") return stored === null ? noWebhook : pickWebhook(stored);
  const old = stored === null ? null : await openWebhook(stored, place, keys);
  // The same secret again is no rotation: one that is still in overlap stays.
  if (stored !== null && old === change.secret) return pickWebhook(stored);
  const overlap = old === null || change.overlapMs === 0 ? null : old;
  return {
    webhook_secret_enc: await seal(change.secret, keys, webhookAad("webhook_secret_enc", place)),
    webhook_hint: hintOf(change.secret),
    webhook_previous_enc:
      overlap === null ? null : await seal(overlap, keys, webhookAad("webhook_previous_enc", place)),
    webhook_previous_expires_at: overlap === null ? null : now + change.overlapMs,
  };
}

function pickWebhook(row: CompanyProviderRow): WebhookColumns {
  const { webhook_secret_enc, webhook_previous_enc, webhook_previous_expires_at, webhook_hint } = row;
  return { webhook_secret_enc, webhook_previous_enc, webhook_previous_expires_at, webhook_hint };
}

/** The stored secret; null when there is none, or when its key is gone: then it verifies nothing any more either. */
async function openWebhook(row: CompanyProviderRow, place: Place, keys: KeyRing): Promise<string | null> {
  if (row.webhook_secret_enc === null) return null;
  try {
    return await open(row.webhook_secret_enc, keys, webhookAad("webhook_secret_enc", place));
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

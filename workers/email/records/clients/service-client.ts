import type * as z from "zod";
import type { ServiceClientRow } from "../../../../db/email/rows";
import type { AuditActor } from "../../../../db/kit/audit";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { serviceClientInputSchema } from "../../../../schemas/email/intake/service-clients";
import { newRowEntry } from "../../../kit/audit/audit";
import { sha256Hex } from "../../../kit/crypto/hash";
import { randomToken } from "../../../kit/crypto/random";
import { followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { errorName } from "../../../kit/log";
import { MINUTE_MS } from "../../../kit/time";
import type { EmailServices } from "../../services";
import { type CallbackColumns, insertServiceClient, touchKey } from "./service-client.store";

/** A client of this service, with the permissions of its key. */
export type ServiceClient = {
  id: number;
  service: string;
  lanes: readonly Lane[];
  templatePrefixes: readonly string[];
  /** null: all companies */
  companyIds: readonly number[] | null;
  lastUsedAt: number | null;
};

const PREFIX_LENGTH = 12;
const TOUCH_AFTER_MS = MINUTE_MS;

/** Returns a new service key (`esk_` and 43 URL-safe characters), with the SHA-256 and the prefix that are stored. */
export async function createServiceKey(): Promise<{ key: string; hash: string; prefix: string }> {
  const key = `esk_${randomToken()}`;
  return { key, hash: await sha256Hex(key), prefix: key.slice(0, PREFIX_LENGTH) };
}

const NO_CALLBACK = { callback_url: null, callback_host: null, callback_secret_enc: null };

/** Stores a client with a new key and the audit entry. Returns null when its service has the maximum number of active keys. */
export async function createServiceClient(
  services: EmailServices,
  input: z.output<typeof serviceClientInputSchema>,
  actor: AuditActor,
  callback: { sealId: string; columns: CallbackColumns } | null = null,
): Promise<{ row: ServiceClientRow; key: string } | null> {
  const { service, name, allowed_lanes, allowed_template_prefixes, allowed_company_ids } = input;
  const { key, hash, prefix } = await createServiceKey();
  const now = services.clock.now();
  const insert = insertServiceClient({
    service,
    name,
    allowed_lanes,
    allowed_template_prefixes,
    allowed_company_ids,
    key_prefix: prefix,
    key_hash: hash,
    ...(callback?.columns ?? NO_CALLBACK),
    seal_id: callback?.sealId ?? uuid(),
    created_at: now,
  });
  const changes = {
    service,
    allowed_lanes,
    allowed_template_prefixes,
    allowed_company_ids,
    callback: callback !== null,
  };
  const audit = { action: "service_client.created", target: "service_client", changes };
  const entry = newRowEntry({ ...audit, actor, companyId: null, now });
  const row = await services.platformDb.first(followedBy(insert, entry));
  return row && { row, key };
}

/** Returns whether a bearer token has the prefix of a service key. */
export function isServiceKey(bearer: string): boolean {
  return bearer.startsWith("esk_");
}

/** Converts a row to a client. Returns null when there is no row. */
export function readServiceClient(row: ServiceClientRow | null | undefined): ServiceClient | null {
  if (!row) return null;
  return {
    id: row.id,
    service: row.service,
    lanes: row.allowed_lanes,
    templatePrefixes: row.allowed_template_prefixes,
    companyIds: row.allowed_company_ids,
    lastUsedAt: row.last_used_at,
  };
}

/** Returns whether the key may be used for the company. */
export function canSendFor(client: ServiceClient, companyId: number): boolean {
  return client.companyIds === null || client.companyIds.includes(companyId);
}

/** Returns the company of a key that is limited to exactly one, or null. */
export function soleCompanyOf({ companyIds }: ServiceClient): number | null {
  return companyIds?.length === 1 ? (companyIds[0] ?? null) : null;
}

/** The mails that identity sends to owners on behalf of other services. */
const SENT_BY_IDENTITY: readonly string[] = [
  "email.lane.paused",
  "hosting.deployment.failed",
  "storage.quota.threshold_reached",
];

/**
 * Returns whether a prefix of the key matches a catalog key, or the key is that of identity and the mail is one that another
 * service asks identity to send. An empty list of prefixes matches nothing else.
 */
export function canUseTemplate(client: ServiceClient, templateKey: string): boolean {
  if (client.service === "identity" && SENT_BY_IDENTITY.includes(templateKey)) return true;
  return client.templatePrefixes.some((prefix) => templateKey.startsWith(prefix));
}

/** Returns whether the key may set the stored name of a company: a key of identity, or a key limited to this company. */
export function canStoreName(client: ServiceClient, companyId: number): boolean {
  return soleCompanyOf(client) === companyId || client.service === "identity";
}

/** Updates `last_used_at` after the response, at most once a minute per key. */
export function touchLater(services: EmailServices, client: ServiceClient, now: number): void {
  if (client.lastUsedAt !== null && now - client.lastUsedAt < TOUCH_AFTER_MS) return;
  const write = services.platformDb.run(touchKey({ id: client.id, now, before: now - TOUCH_AFTER_MS }));
  services.waitUntil(
    write.catch((error) => services.log.warn("last use of a key was not stored", { cause: errorName(error) })),
  );
}

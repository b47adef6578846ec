import { errorName } from "../../kit/log";
import type { EmailServices, Lane } from "../services";
import { type ServiceClientRow, touchKey } from "./key.store";

/** A sibling service as its key allows it (Document 2, "Service key"). */
export type ServiceClient = {
  id: number;
  service: string;
  lanes: readonly Lane[];
  templatePrefixes: readonly string[];
  /** null: every company */
  companyIds: readonly number[] | null;
  lastUsedAt: number | null;
};

const TOUCH_AFTER_MS = 60_000;

/** Whether a bearer has the form of a service key. */
export function isServiceKey(bearer: string): boolean {
  return bearer.startsWith("esk_");
}

/** The client of a row that the key look-up found; null when it found none. */
export function readServiceClient(row: ServiceClientRow | null | undefined): ServiceClient | null {
  if (!row) return null;
  return {
    id: row.id,
    service: row.service,
    lanes: JSON.parse(row.allowed_lanes) as Lane[],
    templatePrefixes: JSON.parse(row.allowed_template_prefixes) as string[],
    companyIds: row.allowed_company_ids === null ? null : (JSON.parse(row.allowed_company_ids) as number[]),
    lastUsedAt: row.last_used_at,
  };
}

/** Whether the key may address the company (email details 1.3). */
export function mayAddress(client: ServiceClient, companyId: number): boolean {
  return client.companyIds === null || client.companyIds.includes(companyId);
}

/** Whether the key's prefixes cover a catalog key; an empty list covers nothing. */
export function mayUseTemplate(client: ServiceClient, templateKey: string): boolean {
  return client.templatePrefixes.some((prefix) => templateKey.startsWith(prefix));
}

/** Whether the key may set the stored name of a company (Document 2, event ingest, rule 3). */
export function mayStoreName(client: ServiceClient, companyId: number): boolean {
  const isOnlyCompany = client.companyIds?.length === 1 && client.companyIds[0] === companyId;
  return isOnlyCompany || client.service === "identity";
}

/** Writes `last_used_at` after the answer, at most once a minute and key. */
export function touchLater(services: EmailServices, client: ServiceClient, now: number): void {
  if (client.lastUsedAt !== null && now - client.lastUsedAt < TOUCH_AFTER_MS) return;
  const write = services.db.run(touchKey.bind(services.db, now, client.id, now - TOUCH_AFTER_MS));
  services.waitUntil(
    write.catch((error) => services.log.warn("last use of a key was not stored", { cause: errorName(error) })),
  );
}

import type { AuditActor } from "../../../../db/kit/audit";
import type { Lane } from "../../../../schemas/email/delivery/lanes";
import type { ApiKeyInput } from "../../../../schemas/email/intake/api-keys";
import { newRowEntry } from "../../../kit/audit/audit";
import { followedBy } from "../../../kit/db/statement";
import { uuid } from "../../../kit/ids";
import { Problem } from "../../problem";
import type { EmailServices } from "../../services";
import type { ApiKeyRow } from "./api-key.present";
import { findTypeWithPrefix, insertApiKey } from "./api-key.store";
import { createServiceKey } from "./service-client";

/** The lanes of every API key. Sign-in mail and bulk mail are not for keys of companies. */
export const API_KEY_LANES: readonly Lane[] = ["transactional"];

/**
 * Stores an API key of a company with the audit entry, and returns it with its plain text. Returns null when the company has the
 * maximum number of keys. Throws 400 `nothing_to_send` when the company has no event type with one of the prefixes, unless the
 * key is for direct content.
 */
export async function createApiKey(
  services: EmailServices,
  companyId: number,
  { service, name, allowed_template_prefixes, direct_content }: ApiKeyInput,
  actor: AuditActor,
): Promise<{ row: ApiKeyRow; key: string } | null> {
  if (!direct_content) await requireEventType(services, companyId, allowed_template_prefixes);
  const { key, hash, prefix } = await createServiceKey();
  const now = services.clock.now();
  const insert = insertApiKey({
    companyId,
    service,
    name,
    allowed_template_prefixes,
    allowed_lanes: [...API_KEY_LANES],
    allowed_company_ids: [companyId],
    key_prefix: prefix,
    key_hash: hash,
    seal_id: uuid(),
    created_at: now,
  });
  const changes = { service, allowed_template_prefixes };
  const entry = newRowEntry({ actor, companyId, action: "api_key.created", target: "api_key", changes, now });
  const row = await services.platformDb.first(followedBy(insert, entry));
  return row && { row, key };
}

async function requireEventType(
  { dbOf }: EmailServices,
  companyId: number,
  prefixes: readonly string[],
): Promise<void> {
  if ((await dbOf(companyId).first(findTypeWithPrefix({ companyId, prefixes }))) !== null) return;
  throw new Problem("nothing_to_send", { field_errors: { allowed_template_prefixes: ["no_event_type"] } });
}

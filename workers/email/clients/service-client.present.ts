import type * as z from "zod";
import type { Lane } from "../../../schemas/email/lanes";
import type { serviceClientKeySchema, serviceClientSchema } from "../../../schemas/email/service-clients";
import type { ServiceClientRow } from "./service-client.store";

function presentScope(row: ServiceClientRow) {
  return {
    id: row.id,
    service: row.service,
    name: row.name,
    key_prefix: row.key_prefix,
    allowed_lanes: JSON.parse(row.allowed_lanes) as Lane[],
    allowed_template_prefixes: JSON.parse(row.allowed_template_prefixes) as string[],
    allowed_company_ids: row.allowed_company_ids === null ? null : (JSON.parse(row.allowed_company_ids) as number[]),
  };
}

/** A client without its key (email details 12.1). */
export function presentServiceClient(row: ServiceClientRow): z.output<typeof serviceClientSchema> {
  return {
    ...presentScope(row),
    has_callback: row.callback_url !== null,
    active: row.active === 1,
    last_used_at: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
  };
}

/** A client with the key that was just made. It is shown this once. */
export function presentServiceClientKey(row: ServiceClientRow, key: string): z.output<typeof serviceClientKeySchema> {
  return { ...presentScope(row), key };
}

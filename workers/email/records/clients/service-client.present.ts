import type * as z from "zod";
import type { ServiceClientRow } from "../../../../db/email/rows";
import type { serviceClientKeySchema, serviceClientSchema } from "../../../../schemas/email/intake/service-clients";
import { iso } from "../../../kit/time";

function presentScope(row: ServiceClientRow) {
  const { id, service, name, key_prefix, allowed_lanes, allowed_template_prefixes, allowed_company_ids } = row;
  return { id, service, name, key_prefix, allowed_lanes, allowed_template_prefixes, allowed_company_ids };
}

/** Returns a client without its key. */
export function presentServiceClient(row: ServiceClientRow): z.output<typeof serviceClientSchema> {
  return {
    ...presentScope(row),
    has_callback: row.callback_url !== null,
    active: row.active,
    last_used_at: iso(row.last_used_at),
    created_at: iso(row.created_at),
  };
}

/** Returns a client with its new key, which is shown only once. */
export function presentServiceClientKey(row: ServiceClientRow, key: string): z.output<typeof serviceClientKeySchema> {
  return { ...presentScope(row), key };
}

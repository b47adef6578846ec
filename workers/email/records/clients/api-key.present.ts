import type * as z from "zod";
import type { ServiceClientRow } from "../../../../db/email/rows";
import type { apiKeySchema } from "../../../../schemas/email/intake/api-keys";
import { iso } from "../../../kit/time";
import { API_KEY_LANES } from "./api-key";

/** The columns of an API key that the API returns. `company_id` is the company that owns it. */
export type ApiKeyRow = { company_id: number } & Pick<
  ServiceClientRow,
  | ("id" | "service" | "name" | "key_prefix" | "allowed_template_prefixes")
  | ("previous_expires_at" | "last_used_at" | "created_at")
>;

/** Returns an API key without its plain text. `now` is in ms since the epoch. */
export function presentApiKey(row: ApiKeyRow, now: number): z.output<typeof apiKeySchema> {
  const { id, company_id, name, service, allowed_template_prefixes, key_prefix } = row;
  const { previous_expires_at: end, last_used_at, created_at } = row;
  return {
    id,
    company_id,
    name,
    service,
    allowed_lanes: [...API_KEY_LANES],
    allowed_template_prefixes,
    key_prefix,
    previous_expires_at: iso(end !== null && end > now ? end : null),
    last_used_at: iso(last_used_at),
    created_at: iso(created_at),
  };
}

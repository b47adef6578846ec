import { iso } from "../../../kit/time";
import type { TokenRow } from "./scim-token.store";

/** Returns a token without its secret part. */
export function presentToken({ id, name, token_prefix, created_at, revoked_at, last_used_at }: TokenRow) {
  return {
    id,
    name,
    token_prefix,
    created_at: iso(created_at),
    revoked_at: iso(revoked_at),
    last_used_at: iso(last_used_at),
    is_active: revoked_at === null,
  };
}

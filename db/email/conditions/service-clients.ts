import { and, eq, gt, isNotNull, type SQL } from "drizzle-orm";
import { QueryBuilder } from "drizzle-orm/sqlite-core";
import { service_clients } from "../schema";

/**
 * Selects the active service client by the SHA-256 of its key. The previous key of a rotation is valid until it
 * expires. `now` is unix ms.
 */
export function activeKeyOf(hash: SQL<string | null>, now: SQL<number>) {
  const { key_hash, previous_key_hash, previous_expires_at, active } = service_clients;
  const rows = () => new QueryBuilder().select().from(service_clients);
  return rows()
    .where(and(eq(key_hash, hash), eq(active, true)))
    .unionAll(
      rows().where(
        and(isNotNull(previous_key_hash), eq(previous_key_hash, hash), gt(previous_expires_at, now), eq(active, true)),
      ),
    )
    .limit(1);
}

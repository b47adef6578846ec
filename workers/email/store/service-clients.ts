import type { service_clients } from "../../../db/email/schema";
import { sql } from "../../kit/db";

export type ServiceClientRow = typeof service_clients.$inferSelect;

/** ?1 SHA-256 of the key, ?2 now. A rotated key is valid until its end (email details 12.1). */
export const activeKeyOf = sql(
  `SELECT * FROM service_clients WHERE key_hash = ?1 AND active = 1
   UNION ALL
   SELECT * FROM service_clients
    WHERE previous_key_hash IS NOT NULL AND previous_key_hash = ?1 AND previous_expires_at > ?2 AND active = 1
   LIMIT 1`,
);

/** ?1 now, ?2 id, ?3 the time since which one write is enough. */
export const touchKey = sql(
  "UPDATE service_clients SET last_used_at = ?1 WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at <= ?3)",
);

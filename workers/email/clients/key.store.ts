import type { service_clients } from "../../../db/email/schema";
import { sql } from "../../kit/db";

export type ServiceClientRow = typeof service_clients.$inferSelect;

/** ?1 SHA-256 of the key, ?2 now. A rotated key is valid until its end. */
export const activeKeyOf = sql(
  `SELECT * FROM service_clients WHERE key_hash = ?1 AND active = 1
   UNION ALL
   SELECT * FROM service_clients
    WHERE previous_key_hash IS NOT NULL AND previous_key_hash = ?1 AND previous_expires_at > ?2 AND active = 1
   LIMIT 1`,
);

import type { service_clients } from "../../../db/email/schema";
import { type Db, sql } from "../../kit/db";

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

/** Whether events of messages of the client c go to its callback URL (email details 11, point 2). */
export const IS_CALLED_BACK =
  "c.active = 1 AND c.callback_url IS NOT NULL AND c.callback_host IS NOT NULL AND c.callback_secret_enc IS NOT NULL";

const callbacks = sql(`SELECT c.id, c.callback_url, c.callback_secret_enc, c.seal_id
   FROM json_each(?1) j CROSS JOIN service_clients c ON c.id = j.value WHERE ${IS_CALLED_BACK}`);

/** A client that is called back. */
export type CallbackRow = { id: number; callback_url: string; callback_secret_enc: string; seal_id: string };

/** Those of the clients that are called back. */
export function findCallbacks(db: Db, clientIds: readonly number[]): Promise<CallbackRow[]> {
  return db.all<CallbackRow>(callbacks.bind(db, JSON.stringify(clientIds)));
}

import type { send_requests } from "../../../db/email/schema";
import { sql } from "../../kit/db";

export type SendRequestRow = typeof send_requests.$inferSelect;

/**
 * Bind: SHA-256 of the service key, company id, idempotency key, start of the window (ms). The stored request of the
 * key's service; the key is looked up here again, so that replay and credential are one round trip.
 */
export const replayOf = sql(
  `SELECT r.* FROM send_requests r
    WHERE r.service = (SELECT service FROM (
            SELECT service FROM service_clients WHERE key_hash = ?1
            UNION ALL
            SELECT service FROM service_clients WHERE previous_key_hash IS NOT NULL AND previous_key_hash = ?1) LIMIT 1)
      AND r.company_id = ?2 AND r.idempotency_key = ?3 AND r.created_at > ?4`,
);

/** Bind: service, company id, idempotency key. The winner of a race. */
export const requestOf = sql(
  "SELECT * FROM send_requests WHERE service = ?1 AND company_id = ?2 AND idempotency_key = ?3",
);

/** Bind: service, company id, idempotency key, start of the window (ms). Makes room where the window has passed. */
export const dropOldRequest = sql(
  "DELETE FROM send_requests WHERE service = ?1 AND company_id = ?2 AND idempotency_key = ?3 AND created_at <= ?4",
);

/** Bind: id, service, company id, idempotency key, path, fingerprint, response, now (ms). Refused by the unique index in a race. */
export const insertRequest = sql(
  `INSERT INTO send_requests (id, service, company_id, idempotency_key, path, fingerprint, response, created_at)
   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
);

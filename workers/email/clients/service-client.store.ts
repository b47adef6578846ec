import type { service_clients } from "../../../db/email/schema";
import { type Db, sql } from "../../kit/db";
import { CALLBACK_BASE } from "../../kit/webhooks/event-log/new-event.store";

export type ServiceClientRow = typeof service_clients.$inferSelect;

/** Active keys that one service may have (email details 1.5). */
const MAX_ACTIVE_KEYS = 50;

const pageOfClients = sql(`SELECT * FROM service_clients WHERE (service, id) > (?1, ?2) ORDER BY service, id LIMIT ?3`);

const insertBelowLimit = sql(
  `INSERT INTO service_clients (service, name, key_prefix, key_hash, allowed_lanes, allowed_template_prefixes,
     allowed_company_ids, seal_id, active, created_at, callback_url, callback_host, callback_secret_enc)
   SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?9, ?11, ?12, ?13
    WHERE (SELECT count(*) FROM service_clients WHERE service = ?1 AND active = 1) < ?10
   RETURNING *`,
);

const clientById = sql(`SELECT * FROM service_clients WHERE id = ?1`);

const revoke = sql(
  `UPDATE service_clients SET active = 0, previous_key_hash = NULL, previous_expires_at = NULL WHERE id = ?1
   RETURNING *`,
);

const rotate = sql(
  `UPDATE service_clients SET key_hash = ?2, key_prefix = ?3,
     previous_key_hash = CASE WHEN ?4 IS NULL THEN NULL ELSE key_hash END, previous_expires_at = ?4
    WHERE id = ?1 AND active = 1 RETURNING *`,
);

const changeCallback = sql(
  `UPDATE service_clients SET callback_url = ?2, callback_host = ?3, callback_secret_enc = ?4 WHERE id = ?1 AND active = 1
   RETURNING id`,
);

// Waiting deliveries go to the present URL, so they count for its host.
const moveWaiting = sql(
  `UPDATE action_deliveries SET host = ?2 WHERE rule_id = -(${CALLBACK_BASE} + ?1) AND status IN ('pending','failed')
     AND EXISTS (SELECT 1 FROM service_clients WHERE id = ?1 AND active = 1)`,
);

/** Where a client is called back, and its sealed secret. */
export type CallbackColumns = { callback_url: string; callback_host: string; callback_secret_enc: string };

/** Sets the callback of a client; false when it is not active. */
export async function setCallback(db: Db, id: number, callback: CallbackColumns): Promise<boolean> {
  const { callback_url, callback_host, callback_secret_enc } = callback;
  const [changed] = await db.batch<[{ id: number }, unknown]>([
    changeCallback.bind(db, id, callback_url, callback_host, callback_secret_enc),
    moveWaiting.bind(db, id, callback_host),
  ]);
  return changed.results.length > 0;
}

/** By service and id, `limit + 1` rows for the cursor. */
export function listServiceClients(
  db: Db,
  after: readonly [service: string, id: number],
  limit: number,
): Promise<ServiceClientRow[]> {
  return db.all<ServiceClientRow>(pageOfClients.bind(db, after[0], after[1], limit + 1));
}

/** Stores a client; null when its service has the most active keys already. */
export function insertServiceClient(
  db: Db,
  row: Pick<
    ServiceClientRow,
    | "service"
    | "name"
    | "key_prefix"
    | "key_hash"
    | "allowed_lanes"
    | "allowed_template_prefixes"
    | "allowed_company_ids"
    | "seal_id"
    | "created_at"
  > &
    Partial<CallbackColumns>,
): Promise<ServiceClientRow | null> {
  return db.first<ServiceClientRow>(
    insertBelowLimit.bind(
      db,
      row.service,
      row.name,
      row.key_prefix,
      row.key_hash,
      row.allowed_lanes,
      row.allowed_template_prefixes,
      row.allowed_company_ids,
      row.seal_id,
      row.created_at,
      MAX_ACTIVE_KEYS,
      row.callback_url ?? null,
      row.callback_host ?? null,
      row.callback_secret_enc ?? null,
    ),
  );
}

/** The client, revoked ones too, or null. */
export function findServiceClient(db: Db, id: number): Promise<ServiceClientRow | null> {
  return db.first<ServiceClientRow>(clientById.bind(db, id));
}

/** Ends the keys of a client, the one in overlap too; null when there is no such client. */
export function revokeServiceClient(db: Db, id: number): Promise<ServiceClientRow | null> {
  return db.first<ServiceClientRow>(revoke.bind(db, id));
}

/** Puts a new key in place; the old one stays valid until `previousExpiresAt` (null: not at all). Null when not active. */
export function rotateServiceClient(
  db: Db,
  id: number,
  key: { hash: string; prefix: string },
  previousExpiresAt: number | null,
): Promise<ServiceClientRow | null> {
  return db.first<ServiceClientRow>(rotate.bind(db, id, key.hash, key.prefix, previousExpiresAt));
}

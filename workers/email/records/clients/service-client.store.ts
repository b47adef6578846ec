import { and, eq, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { activeKeyOf } from "../../../../db/email/conditions/service-clients";
import type { ServiceClientRow } from "../../../../db/email/rows";
import { action_deliveries, service_clients } from "../../../../db/email/schema";
import { CALLBACK_BASE } from "../../../../db/kit/webhooks";
import type { Db } from "../../../kit/db/db";
import { integer } from "../../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";

/** Maximum number of active keys per service, without the API keys of companies. */
const MAX_ACTIVE_KEYS = 50;

const columns = allColumns(service_clients);
const { id, service, active, key_hash, last_used_at, owner_company_id } = service_clients;

/** Statement: one page of clients, ordered by service and id. API keys of companies are not clients of staff. */
export const listServiceClients = statement({ service, id, limit: integer }, (p) =>
  queryBuilder
    .select(columns)
    .from(service_clients)
    .where(and(sql`(${service}, ${id}) > (${p.service}, ${p.id})`, isNull(owner_company_id)))
    .orderBy(service, id)
    .limit(p.limit),
);

/** Statement: insert an active client and return it, unless its service has the maximum number of active keys. */
export const insertServiceClient = statement(
  {
    service,
    name: columns.name,
    key_prefix: columns.key_prefix,
    key_hash,
    allowed_lanes: columns.allowed_lanes,
    allowed_template_prefixes: columns.allowed_template_prefixes,
    allowed_company_ids: columns.allowed_company_ids,
    callback_url: columns.callback_url,
    callback_host: columns.callback_host,
    callback_secret_enc: columns.callback_secret_enc,
    seal_id: columns.seal_id,
    created_at: columns.created_at,
  },
  (p) => {
    const isBelowLimit = sql`where (select count(*) from ${service_clients}
      where ${service} = ${p.service} and ${active} = 1 and ${owner_company_id} is null) < ${MAX_ACTIVE_KEYS}`;
    return selectRows(
      columns,
      (selected) => sql`${insertSelect(service_clients, { ...p, active: true }, isBelowLimit)} returning ${selected}`,
    );
  },
);

/** Statement: the client with this id. It may be revoked. API keys of companies are not found. */
export const findServiceClient = statement({ id }, (p) =>
  queryBuilder
    .select(columns)
    .from(service_clients)
    .where(and(eq(id, p.id), isNull(owner_company_id))),
);

/** Statement: the active client whose key has this SHA-256. `now` is in ms since the epoch. */
export const findActiveClient = statement({ hash: key_hash, now: integer }, (p) => activeKeyOf(p.hash, p.now));

/** Statement: revoke the current and the previous key of an active client, and return the client. */
export const revokeServiceClient = statement({ id }, (p) =>
  queryBuilder
    .update(service_clients)
    .set({ active: false, previous_key_hash: null, previous_expires_at: null })
    .where(and(eq(id, p.id), eq(active, true)))
    .returning(columns),
);

/**
 * Statement: replace the key of an active client and return the client. The old key remains valid until `previousExpiresAt`
 * (ms since the epoch). Null invalidates the old key at once.
 */
export const rotateServiceClient = statement(
  { id, hash: key_hash, prefix: columns.key_prefix, previousExpiresAt: columns.previous_expires_at },
  (p) =>
    queryBuilder
      .update(service_clients)
      .set({
        key_hash: p.hash,
        key_prefix: p.prefix,
        previous_key_hash: sql`case when ${p.previousExpiresAt} is null then null else ${key_hash} end`,
        previous_expires_at: p.previousExpiresAt,
      })
      .where(and(eq(id, p.id), eq(active, true)))
      .returning(columns),
);

/** Statement: store the last use of a key (ms since the epoch), unless a use after `before` is stored. */
export const touchKey = statement({ id, now: integer, before: integer }, (p) =>
  queryBuilder
    .update(service_clients)
    .set({ last_used_at: p.now })
    .where(and(eq(id, p.id), or(isNull(last_used_at), lte(last_used_at, p.before)))),
);

const changeCallback = statement(
  { id, url: columns.callback_url, host: columns.callback_host, secret: columns.callback_secret_enc },
  (p) =>
    queryBuilder
      .update(service_clients)
      .set({ callback_url: p.url, callback_host: p.host, callback_secret_enc: p.secret })
      .where(and(eq(id, p.id), eq(active, true))),
);

// Waiting deliveries are sent to the new URL, so they must store the new host.
const updateWaitingHosts = statement({ id, host: action_deliveries.host }, (p) =>
  queryBuilder
    .update(action_deliveries)
    .set({ host: p.host })
    .where(
      and(
        eq(action_deliveries.rule_id, sql`-(${CALLBACK_BASE} + ${p.id})`),
        inArray(action_deliveries.status, ["pending", "failed"]),
        sql`exists (select 1 from ${service_clients} where ${id} = ${p.id} and ${active} = 1)`,
      ),
    ),
);

/** The callback URL and host of a client, and the encrypted secret. */
export type CallbackColumns = {
  [K in keyof Pick<ServiceClientRow, "callback_url" | "callback_host" | "callback_secret_enc">]: string;
};

/** Sets the callback of a client and writes the audit entry. Returns false when the client is not active. */
export async function setCallback(db: Db, clientId: number, callback: CallbackColumns, entry: Bound): Promise<boolean> {
  const { callback_url: url, callback_host: host, callback_secret_enc: secret } = callback;
  const { changed } = await db.batch({
    changed: followedBy(changeCallback({ id: clientId, url, host, secret }), entry),
    moved: updateWaitingHosts({ id: clientId, host }),
  });
  return changed.changes > 0;
}

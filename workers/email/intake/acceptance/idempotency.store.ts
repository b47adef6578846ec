import { and, eq, gt, isNotNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { requestOfMessage } from "../../../../db/email/conditions/requests";
import { messages, send_requests, service_clients } from "../../../../db/email/schema";
import { integer } from "../../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { type Bound, statement } from "../../../kit/db/statement";

// A request with one message is stored in the message row; all other requests, and batches of any size, have a row in
// send_requests. A key can be used in only one of the two tables.

type Key = { service: SQLWrapper; companyId: SQLWrapper; key: SQLWrapper };

const { service, company_id, idempotency_key, created_at } = send_requests;
const columns = allColumns(send_requests);
const messageColumns = (Object.keys(columns) as (keyof typeof columns)[]).map((key) => requestOfMessage[key]);

const hasKey = (p: Key) => and(eq(service, p.service), eq(company_id, p.companyId), eq(idempotency_key, p.key));
const messageHasKey = (p: Key) =>
  and(eq(messages.service, p.service), eq(messages.company_id, p.companyId), eq(messages.idempotency_key, p.key));

/** Selects the request with a key. `conditions` apply to request rows, `messageConditions` to messages. */
const selectRequest = (p: Key, conditions: SQL = sql``, messageConditions: SQL = sql``) =>
  selectRows(
    columns,
    (selected) => sql`select ${selected} from ${send_requests} where ${hasKey(p)} ${conditions}
      union all select ${sql.join(messageColumns, sql`, `)} from ${messages} where ${messageHasKey(p)} ${messageConditions}`,
  );

/**
 * Statement: the stored request with an idempotency key, if it is from after `windowStart` (unix ms). It looks up the service
 * by the SHA-256 of its service key, so that it can share a round trip with the authentication.
 */
export const findReplay = statement(
  { keyHash: service_clients.key_hash, companyId: company_id, key: idempotency_key, windowStart: integer },
  (p) => {
    const { key_hash, previous_key_hash } = service_clients;
    const services = () => queryBuilder.select({ service: service_clients.service }).from(service_clients);
    const ofKey = services()
      .where(eq(key_hash, p.keyHash))
      .unionAll(services().where(and(isNotNull(previous_key_hash), eq(previous_key_hash, p.keyHash))))
      .limit(1);
    const requestKey = { service: sql`(${ofKey})`, companyId: p.companyId, key: p.key };
    return selectRequest(
      requestKey,
      sql`and ${gt(created_at, p.windowStart)}`,
      sql`and ${gt(messages.accepted_at, p.windowStart)}`,
    );
  },
);

const requestKeyParameters = { service, companyId: company_id, key: idempotency_key };

/** Statement: the stored request with an idempotency key. In a race, it finds the request that was stored first. */
export const findRequest = statement(requestKeyParameters, (p) => selectRequest(p));

const deleteExpiredRequest = statement({ ...requestKeyParameters, windowStart: integer }, (p) =>
  queryBuilder.delete(send_requests).where(and(hasKey(p), lte(created_at, p.windowStart))),
);

const clearExpiredKey = statement({ ...requestKeyParameters, windowStart: integer }, (p) =>
  queryBuilder
    .update(messages)
    .set({ idempotency_key: null })
    .where(and(messageHasKey(p), lte(messages.accepted_at, p.windowStart))),
);

/** Returns the statements that free an idempotency key whose request is older than `windowStart` (unix ms). */
export function releaseExpiredKey(values: {
  service: string;
  companyId: number;
  key: string;
  windowStart: number;
}): Bound[] {
  return [deleteExpiredRequest(values), clearExpiredKey(values)];
}

/** Returns the id of a new message as SQL, or NULL when a request row has the key. NULL violates the NOT NULL constraint. */
export const idUnlessRequested = (id: SQLWrapper, p: Key): SQL =>
  sql`case when ${p.key} is null or not exists (select 1 from ${send_requests} where ${hasKey(p)}) then ${id} end`;

/**
 * Statement: stores a request. It fails when the key is in use: a request row with the key violates the unique index, and a
 * message with the key makes the id NULL.
 */
export const insertRequest = statement(columns, (p) => {
  const key = { service: p.service, companyId: p.company_id, key: p.idempotency_key };
  const id = sql`case when not exists (select 1 from ${messages} where ${messageHasKey(key)}) then ${p.id} end`;
  return insertSelect(send_requests, { ...p, id }, sql``);
});

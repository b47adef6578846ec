import { and, eq, gt, isNotNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { requestOfMessage } from "../../../../db/email/conditions/requests";
import { messages, send_requests, service_clients } from "../../../../db/email/schema";
import { integer } from "../../../kit/db/kind";
import { allColumns, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { type Bound, statement } from "../../../kit/db/statement";

// A request is kept in the message of its only recipient, or in a row of its own. Either refuses a key that the other has.

type Key = { service: SQLWrapper; companyId: SQLWrapper; key: SQLWrapper };

const { service, company_id, idempotency_key, created_at } = send_requests;
const m = messages;
const columns = allColumns(send_requests);
const ofMessage = (Object.keys(columns) as (keyof typeof columns)[]).map((key) => requestOfMessage[key]);

const hasKey = (p: Key) => and(eq(service, p.service), eq(company_id, p.companyId), eq(idempotency_key, p.key));
const hasKeyOfMessage = (p: Key) =>
  and(eq(m.service, p.service), eq(m.company_id, p.companyId), eq(m.idempotency_key, p.key));

/** The request that is stored under a key, with the terms of a row and of a message. */
const stored = (p: Key, terms: SQL = sql``, termsOfMessage: SQL = sql``) =>
  selectRows(
    columns,
    (selected) => sql`select ${selected} from ${send_requests} where ${hasKey(p)} ${terms}
      union all select ${sql.join(ofMessage, sql`, `)} from ${m} where ${hasKeyOfMessage(p)} ${termsOfMessage}`,
  );

/**
 * The stored request of the service that a key belongs to, inside the idempotency window (unix ms). The key, as SHA-256,
 * is looked up here again, so that replay and credential are one round trip.
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
    return stored(requestKey, sql`and ${gt(created_at, p.windowStart)}`, sql`and ${gt(m.accepted_at, p.windowStart)}`);
  },
);

const request = { service, companyId: company_id, key: idempotency_key };

/** The request that is stored under an idempotency key: the winner of a race. */
export const findRequest = statement(request, (p) => stored(p));

const dropOldRequest = statement({ ...request, windowStart: integer }, (p) =>
  queryBuilder.delete(send_requests).where(and(hasKey(p), lte(created_at, p.windowStart))),
);

const dropOldKey = statement({ ...request, windowStart: integer }, (p) =>
  queryBuilder
    .update(m)
    .set({ idempotency_key: null })
    .where(and(hasKeyOfMessage(p), lte(m.accepted_at, p.windowStart))),
);

/** Makes room for a request whose predecessor is older than the window (unix ms). */
export function dropOld(values: { service: string; companyId: number; key: string; windowStart: number }): Bound[] {
  return [dropOldRequest(values), dropOldKey(values)];
}

/** The id of a new row, or null, which its column refuses, where the key is in use by the other kind of request. */
export const idUnlessRequested = (id: SQLWrapper, p: Key): SQL =>
  sql`case when ${p.key} is null or not exists (select 1 from ${send_requests} where ${hasKey(p)}) then ${id} end`;

/** Stores a request; the unique index refuses the second one of a race, as a message with its key does. */
export const insertRequest = statement(columns, (p) => {
  const key = { service: p.service, companyId: p.company_id, key: p.idempotency_key };
  const id = sql`case when not exists (select 1 from ${m} where ${hasKeyOfMessage(key)}) then ${p.id} end`;
  return insertSelect(send_requests, { ...p, id }, sql``);
});

import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { ERASED_BODY } from "../../../../db/email/conditions/event-log";
import type { EventAboutErased } from "../../../../db/email/rows";
import { action_deliveries, delivery_attempts, erasures, event_log } from "../../../../db/email/schema";
import { json } from "../../../kit/db/kind";
import { assignments, jsonEach, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { eventIdOf } from "../../../kit/webhooks/event-store/event-log.store";

/** Maximum number of events that one step masks. */
const MASK_SIZE = 500;

const erasure = { id: erasures.id };
const erasureRow = alias(erasures, "erasure");
const hash = jsonEach(sql<string[]>`${erasureRow.hashes}`, "hash");
const events = alias(event_log, "event");
const deliveries = alias(action_deliveries, "delivery");

/** SQL: the FROM and WHERE clauses that select the rows about the erased address. */
const about = (table: typeof events | typeof deliveries, id: SQL<string>) => sql`from ${tableReference(erasureRow)}
  cross join ${hash.from} cross join ${tableReference(table)} on ${table.company_id} = ${erasureRow.company_id} and ${table.subject_hmac} = ${hash.value}
    and ${table.created_at} <= ${erasureRow.requested_at}
  where ${erasureRow.id} = ${id}`;

/** SQL condition: no event and no delivery about the erased address is left. */
export const hasNoEvents = (id: SQL<string>) =>
  and(sql`not exists (select 1 ${about(events, id)})`, sql`not exists (select 1 ${about(deliveries, id)})`);

const { seq, status, last_error, last_error_code, event_id } = action_deliveries;
const ERASED = { last_error_code: "erased", last_error: "the address was erased" };

/** Statement: end the waiting deliveries. A running attempt loses its lease, so it cannot change the delivery any more. */
export const endDeliveries = statement(erasure, (p) =>
  queryBuilder
    .update(action_deliveries)
    .set({ status: "dead", ...ERASED, locked_until: null, lease_token: null })
    .where(
      sql`${seq} in (select ${deliveries.seq} ${about(deliveries, p.id)}
        and ${inArray(deliveries.status, ["pending", "failed"])})`,
    ),
);

// The response of a receiver may contain the address. Only its status, such as "HTTP 500:", is kept.
const RESPONSE_ERRORS = ["http_status", "redirect_blocked"];
const statusPrefix = (message: typeof last_error | typeof delivery_attempts.error_message) =>
  sql`substr(${message}, 1, 9)`;

const clearResponsesOf = (deliverySeqs: SQL) =>
  queryBuilder
    .update(delivery_attempts)
    .set({ error_message: statusPrefix(delivery_attempts.error_message) })
    .where(
      and(
        inArray(delivery_attempts.error_code, RESPONSE_ERRORS),
        sql`${delivery_attempts.delivery_seq} in (${deliverySeqs})`,
      ),
    );

// Selects deliveries whose event was purged. They have no masked envelope that could replace the body.
const orphans = (id: SQL<string>) => sql`select ${deliveries.seq} ${about(deliveries, id)}
  and not exists (select 1 from ${event_log}
    where ${event_log.company_id} = ${deliveries.company_id} and ${event_log.id} = ${deliveries.event_id})
  and not exists (select 1 from ${event_log} where ${event_log.event_id} = ${deliveries.event_id})`;

/** Statement: remove the responses of receivers from the attempts of deliveries without an event. */
export const clearOrphanResponses = statement(erasure, (p) => clearResponsesOf(orphans(p.id)));

/** Statement: empty the deliveries without an event. */
export const emptyOrphans = statement(erasure, (p) => {
  const whenDead = (column: typeof last_error | typeof last_error_code, value: string) =>
    sql`case when ${status} = 'dead' then ${value} else ${column} end`;
  return queryBuilder
    .update(action_deliveries)
    .set({
      body: ERASED_BODY,
      subject_hmac: null,
      last_error_code: whenDead(last_error_code, ERASED.last_error_code),
      last_error: whenDead(last_error, ERASED.last_error),
    })
    .where(sql`${seq} in (${orphans(p.id)})`);
});

/** Statement: at most MASK_SIZE encrypted events about the address. */
export const findEvents = statement(erasure, (p) =>
  selectRows(
    {
      id: events.id,
      event_id: eventIdOf(events),
      company_id: events.company_id,
      data: events.data,
      envelope: events.envelope,
    },
    (columns) => sql`select ${columns} ${about(events, p.id)} limit ${MASK_SIZE}`,
  ),
);

const maskedEvents = { events: json<EventAboutErased[]>() };

/** Statement: remove the responses of receivers from the delivery attempts of the events. */
export const clearResponses = statement(maskedEvents, (p) => {
  const r = jsonEach(p.events);
  return clearResponsesOf(
    sql`select ${deliveries.seq} from ${r.from} cross join ${tableReference(deliveries)} on ${deliveries.event_id} = ${r.item.event_id}`,
  );
});

/** Statement: store the masked envelopes in the deliveries of the events. */
export const maskDeliveries = statement(maskedEvents, (p) => {
  const r = jsonEach(p.events);
  const change = assignments(action_deliveries, {
    body: sql`${r.item.envelope}`,
    subject_hmac: null,
    last_error: sql`case when ${inArray(last_error_code, RESPONSE_ERRORS)} then ${statusPrefix(last_error)} else ${last_error} end`,
  });
  return sql`update ${action_deliveries} set ${change} from ${r.from} where ${event_id} = ${r.item.event_id}`;
});

/** Statement: store the masked events without subject_hmac, so that the next step does not select them again. */
export const maskEvents = statement(maskedEvents, (p) => {
  const r = jsonEach(p.events);
  const change = assignments(event_log, { data: r.item.data, envelope: r.item.envelope, subject_hmac: null });
  return sql`update ${event_log} set ${change} from ${r.from}
    where ${and(eq(event_log.company_id, r.item.company_id), eq(event_log.id, r.item.id))}`;
});

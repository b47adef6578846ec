import { and, desc, eq, gte, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  type AttemptRow,
  action_deliveries,
  action_rules,
  type DeliveryRow,
  delivery_attempts,
} from "../../../../db/kit/webhooks";
import type { DeliveryFilter } from "../../../../schemas/webhooks/deliveries";
import { integer, json, nullable } from "../../db/kind";
import { all, from, ifGiven, indexedBy, jsonObject, orNull, rows } from "../../db/query";
import { statement } from "../../db/statement";
import { highestCount, type LogPage } from "../../http/paging/log-page";

/** An attempt as it stands in the JSON of a delivery. */
export type AttemptFacts = Omit<AttemptRow, "delivery_seq" | "lease_token">;

/** A webhook delivery with whether its rule is enabled (null: deleted) and its attempts, newest first. */
export type ListedDelivery = Omit<DeliveryRow, "body"> & { rule_enabled: boolean | null; attempts: AttemptFacts[] };

/** One delivery with what it sends. */
export type FoundDelivery = ListedDelivery & { body: string };

/** Attempts that a list shows of each delivery. */
export const LISTED_ATTEMPTS = 8;

const d = alias(action_deliveries, "d");
const r = alias(action_rules, "r");
const t = alias(delivery_attempts, "t");
const x = alias(action_deliveries, "x");

const attemptsOf = (delivery: SQLWrapper, limit = sql``) => {
  const { delivery_seq: _seq, lease_token: _token, ...shown } = all(t);
  return sql`(select json_group_array(${jsonObject(shown)}) from
    (select * from ${delivery_attempts} where ${delivery_attempts.delivery_seq} = ${delivery}
     order by ${desc(delivery_attempts.id)} ${limit}) t)`.mapWith(json<AttemptFacts[]>());
};

const { body, ...listed } = all(d);

const asked = {
  company: integer,
  from: integer,
  until: integer,
  cursor_time: integer,
  cursor_seq: integer,
  status: nullable(x.status),
  event_type: nullable(x.event_type),
  rule: nullable(integer),
  event: nullable(x.event_id),
  run: nullable(integer),
};

type Asked = { [K in keyof typeof asked]: SQL };

const isAsked = (p: Asked) =>
  and(
    eq(x.company_id, p.company),
    eq(x.kind, "webhook"),
    gte(x.created_at, p.from),
    lt(x.created_at, p.until),
    sql`(${x.created_at} < ${p.cursor_time} or ${x.seq} < ${p.cursor_seq})`,
    ifGiven(p.status, eq(x.status, p.status)),
    ifGiven(p.event_type, eq(x.event_type, p.event_type)),
    ifGiven(p.rule, eq(x.rule_id, p.rule)),
    ifGiven(p.event, eq(x.event_id, p.event)),
  );

/** Whether a run attempted the delivery. */
const isOfRun = ({ run }: Asked) => sql`${x.seq} in (select ${delivery_attempts.delivery_seq}
  from ${indexedBy(delivery_attempts, "delivery_attempts_run")}
  where ${delivery_attempts.scheduled_job_run_id} is not null and ${delivery_attempts.scheduled_job_run_id} = ${run})`;

/** A list by the entry that leads to the fewest rows; other filters are looked at row by row. */
function listBy(source: SQL, entry: (p: Asked) => SQL) {
  const where = (p: Asked) => sql`from ${source} where ${entry(p)} and ${isAsked(p)}`;
  return {
    rows: statement({ ...asked, size: integer, offset: integer }, (p) =>
      rows(
        {
          ...listed,
          rule_enabled: orNull(r.enabled),
          attempts: attemptsOf(d.seq, sql`limit ${LISTED_ATTEMPTS}`),
        },
        (columns) => sql`select ${columns}
          from (select ${x.seq} ${where(p)} order by ${desc(x.created_at)}, ${desc(x.seq)}
              limit ${p.size} offset ${p.offset}) k
            cross join ${from(d)} on ${d.seq} = k.seq left join ${from(r)} on ${r.id} = ${d.rule_id}
          order by ${desc(d.created_at)}, ${desc(d.seq)}`,
      ),
    ),
    count: statement(asked, (p) =>
      rows(
        { count: sql`count(*)`.mapWith(integer) },
        (columns) => sql`select ${columns} from (select 1 ${where(p)} limit ${highestCount})`,
      ),
    ),
  };
}

const byRun = listBy(from(x), isOfRun);
const byEvent = listBy(
  indexedBy(x, "action_deliveries_event"),
  (p) => sql`${x.event_id} = ${p.event} and ${p.run} is null`,
);
const byTime = listBy(indexedBy(x, "action_deliveries_company"), (p) => sql`${p.run} is null`);

/** The reads of a company's webhook deliveries, newest first, one more than the page holds; their number but behind a cursor. */
export function deliveryListReads(companyId: number, filter: DeliveryFilter, page: LogPage) {
  const { created_after: from = 0, created_before: until = Number.MAX_SAFE_INTEGER } = filter;
  const after = page.after ?? { created_at: Number.MAX_SAFE_INTEGER, id: 0 };
  const { status = null, event_type = null, action_rule_id: rule = null, webhook_id: event = null } = filter;
  const run = filter.scheduled_job_run_id ?? null;
  const list = run !== null ? byRun : event !== null ? byEvent : byTime;
  const values = {
    company: companyId,
    from,
    until: Math.min(until, after.created_at + 1),
    cursor_time: after.created_at,
    cursor_seq: after.id,
    ...{ status, event_type, rule, event, run },
  };
  return {
    rows: list.rows({ ...values, size: page.pageSize + 1, offset: page.offset }),
    count: page.after ? null : list.count(values),
  };
}

/** A webhook delivery of a company, or of any for null, with all of its attempts. */
export const findDelivery = statement({ id: nullable(d.id), company: nullable(integer) }, (p) =>
  rows(
    { ...listed, body, rule_enabled: orNull(r.enabled), attempts: attemptsOf(d.seq) },
    (columns) => sql`select ${columns} from ${from(d)} left join ${from(r)} on ${r.id} = ${d.rule_id}
      where ${d.id} = ${p.id} and ${eq(d.kind, "webhook")} and ${ifGiven(p.company, eq(d.company_id, p.company))}`,
  ),
);

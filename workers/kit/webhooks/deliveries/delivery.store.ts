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
import { boundedScan, MAX_SCANNED_ROWS, type ScanInputs, scanParameters } from "../../db/bounded-scan";
import { integer, json, nullable } from "../../db/kind";
import {
  allColumns,
  filterUnlessNull,
  indexedBy,
  jsonObject,
  nullableColumn,
  selectRows,
  tableReference,
} from "../../db/query";
import { statement } from "../../db/statement";
import type { LogPosition, Page } from "../../http/paging/page";
import { scanOfPage } from "../../http/paging/scan";

/** An attempt, as selected in the JSON column of a delivery. */
export type AttemptFacts = Omit<AttemptRow, "delivery_seq" | "lease_token">;

/**
 * A webhook delivery with its attempts, newest first, and the state of its subscription. `rule_enabled` is null when
 * the subscription was deleted.
 */
export type ListedDelivery = Omit<DeliveryRow, "body"> & { rule_enabled: boolean | null; attempts: AttemptFacts[] };

/** A delivery with its body. */
export type DeliveryWithBody = ListedDelivery & { body: string };

/** Maximum number of attempts per delivery in a list. */
export const LISTED_ATTEMPTS = 8;

const delivery = alias(action_deliveries, "delivery");
const rule = alias(action_rules, "rule");
const attempt = alias(delivery_attempts, "attempt");
const runAttempt = alias(delivery_attempts, "run_attempt");
const candidate = alias(action_deliveries, "candidate");

const attemptsOf = (delivery: SQLWrapper, limit = sql``) => {
  const { delivery_seq: _seq, lease_token: _token, ...attemptColumns } = allColumns(attempt);
  return sql`(select json_group_array(${jsonObject(attemptColumns)}) from
    (select * from ${delivery_attempts} where ${delivery_attempts.delivery_seq} = ${delivery}
     order by ${desc(delivery_attempts.id)} ${limit}) attempt)`.mapWith(json<AttemptFacts[]>());
};

const { body, ...listed } = allColumns(delivery);

const filters = {
  company: integer,
  from: integer,
  until: integer,
  status: nullable(candidate.status),
  event_type: nullable(candidate.event_type),
  rule: nullable(integer),
};

type Filters = { [K in keyof typeof filters]: SQL };

/** Returns the condition that a delivery matches the filters, which are evaluated row by row. */
const matchesFilters = (p: Filters) =>
  and(
    eq(candidate.kind, "webhook"),
    filterUnlessNull(p.status, eq(candidate.status, p.status)),
    filterUnlessNull(p.event_type, eq(candidate.event_type, p.event_type)),
    filterUnlessNull(p.rule, eq(candidate.rule_id, p.rule)),
  );

const isInTime = (p: Filters) =>
  and(eq(candidate.company_id, p.company), gte(candidate.created_at, p.from), lt(candidate.created_at, p.until));

const listColumns = {
  ...listed,
  rule_enabled: nullableColumn(rule.enabled),
  attempts: attemptsOf(delivery.seq, sql`limit ${LISTED_ATTEMPTS}`),
};

const newest = { cursor_time: integer, cursor_id: integer };

/**
 * Selects deliveries, newest first. `source` is the index that needs the fewest reads. `position_time` and `position_id` are
 * the cursor position of a row.
 */
const newestFirst = (p: Filters & ScanInputs & { [K in keyof typeof newest]: SQL }, source: SQL, entry = sql`true`) => {
  const isAfterCursor = sql`(${candidate.created_at} < ${p.cursor_time} or ${candidate.seq} < ${p.cursor_id})`;
  const range = sql`from ${source} where ${and(entry, isInTime(p), isAfterCursor)}
    order by ${desc(candidate.created_at)}, ${desc(candidate.seq)}`;
  const page = boundedScan({ key: candidate.seq, matches: sql`${matchesFilters(p)}`, range }, p);
  return selectRows(
    { ...listColumns, ...page.end, position_time: delivery.created_at, position_id: delivery.seq },
    (
      columns,
    ) => sql`select ${columns} from ${page.from} cross join ${tableReference(delivery)} on ${delivery.seq} = ${page.key}
        left join ${tableReference(rule)} on ${rule.id} = ${delivery.rule_id}
      order by ${desc(delivery.created_at)}, ${desc(delivery.seq)}`,
  );
};

const listByTime = statement({ ...filters, ...newest, ...scanParameters }, (p) =>
  newestFirst(p, indexedBy(candidate, "action_deliveries_company")),
);
const listByEvent = statement({ ...filters, ...newest, ...scanParameters, event: candidate.event_id }, (p) =>
  newestFirst(p, indexedBy(candidate, "action_deliveries_event"), eq(candidate.event_id, p.event)),
);

/** Deliveries of a run are sorted by their attempt, because only that order has an index. */
const ofRun = { run: integer, event: nullable(candidate.event_id), cursor_id: integer };
const listByRun = statement({ ...filters, ...scanParameters, ...ofRun }, (p) => {
  const { scheduled_job_run_id: run, id } = runAttempt;
  const range = sql`from ${indexedBy(runAttempt, "delivery_attempts_run")}
    cross join ${tableReference(candidate)} on ${candidate.seq} = ${runAttempt.delivery_seq}
    where ${run} is not null and ${run} = ${p.run} and ${id} < ${p.cursor_id} order by ${desc(id)}`;
  const isMatch = and(isInTime(p), matchesFilters(p), filterUnlessNull(p.event, eq(candidate.event_id, p.event)));
  const page = boundedScan({ key: id, matches: sql`${isMatch}`, subject: candidate.seq, range }, p);
  return selectRows(
    { ...listColumns, ...page.end, position_time: runAttempt.created_at, position_id: id },
    (columns) => sql`select ${columns} from ${page.from} cross join ${tableReference(runAttempt)} on ${id} = ${page.key}
        cross join ${tableReference(delivery)} on ${delivery.seq} = ${runAttempt.delivery_seq}
          left join ${tableReference(rule)} on ${rule.id} = ${delivery.rule_id}
      order by ${desc(id)}`,
  );
});

/** Returns the statement that reads a page of a company's webhook deliveries, newest first. */
export function selectDeliveryPage(companyId: number, filter: DeliveryFilter, page: Page<LogPosition>) {
  const { created_after: from = 0, created_before = Number.MAX_SAFE_INTEGER } = filter;
  const { status = null, event_type = null, action_rule_id: rule = null, webhook_id: event = null } = filter;
  const { scheduled_job_run_id: run } = filter;
  const after = page.after ?? { created_at: Number.MAX_SAFE_INTEGER - 1, id: Number.MAX_SAFE_INTEGER };
  const isFiltered = status !== null || event_type !== null || rule !== null || run !== undefined;
  const scan = scanOfPage(page, isFiltered);
  const values = { company: companyId, from, until: created_before, status, event_type, rule, ...scan };
  // Each row of a run costs two reads: the attempt and its delivery. The scan is therefore half as long.
  if (run !== undefined)
    return listByRun({ ...values, scanLimit: MAX_SCANNED_ROWS / 2, run, event, cursor_id: after.id });
  const newest = { cursor_time: after.created_at, cursor_id: after.id };
  const sorted = { ...values, ...newest, until: Math.min(created_before, after.created_at + 1) };
  return event === null ? listByTime(sorted) : listByEvent({ ...sorted, event });
}

/** Statement: a webhook delivery with all of its attempts, of one company or, when null, of any company. */
export const findDelivery = statement({ id: nullable(delivery.id), company: nullable(integer) }, (p) =>
  selectRows(
    { ...listed, body, rule_enabled: nullableColumn(rule.enabled), attempts: attemptsOf(delivery.seq) },
    (columns) => sql`select ${columns} from ${tableReference(delivery)}
      left join ${tableReference(rule)} on ${rule.id} = ${delivery.rule_id}
      where ${delivery.id} = ${p.id} and ${eq(delivery.kind, "webhook")}
        and ${filterUnlessNull(p.company, eq(delivery.company_id, p.company))}`,
  ),
);

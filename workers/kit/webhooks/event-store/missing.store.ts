import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { action_deliveries, type EventLogTable, isNotAmong, action_rules as rules } from "../../../../db/kit/webhooks";
import { integer, nullable, text } from "../../db/kind";
import { indexedBy, selectRows, tableReference } from "../../db/query";
import { type Bound, statement } from "../../db/statement";
import { insertDelivery, newDelivery } from "./delivery-row.store";
import { eventIdOf } from "./event-log.store";

/**
 * The number of events that one call scans. Including the lookup of each event and the check for its delivery, a call
 * reads at most 5,000 rows.
 */
const SCANNED_EVENTS = 1_250;

/** The range of scanned events: a company and ids between two texts, oldest first. */
const range = { company: integer, above: text, below: text };
const rangeOfRule = { ...range, rule: rules.id, type: text };
type RangeParameters = { [K in keyof typeof range]: SQL };
type RuleRangeParameters = { [K in keyof typeof rangeOfRule]: SQL };
type Values = { rule: number; company: number; type: string; above: string; below: string };

type ScanStatements = {
  /** counts the scanned events that have no delivery for the subscription */
  count: (values: Values) => Bound<{ missing: number }>;
  /** inserts the missing deliveries, due at `now` */
  add: (values: Values & { now: number }) => Bound;
  /** returns the last scanned event; null when no more events follow */
  end: (values: Omit<Values, "rule">) => Bound<{ last: string | null }>;
};

/** The statements for rare types, which use the index of types, and for frequent types, which walk the key. */
export type MissingStatements = {
  isFrequent: (type: string) => boolean;
  rare: ScanStatements;
  frequent: ScanStatements;
};

/** Registers the statements that create missing deliveries for an event log. Call it at module level. */
export function createMissingStatements(log: EventLogTable, frequentTypes: readonly string[]): MissingStatements {
  const scanned = alias(log, "scanned") as unknown as EventLogTable;
  const isBetween = (p: RangeParameters) =>
    sql`${scanned.company_id} = ${p.company} and ${scanned.id} > ${p.above} and ${scanned.id} < ${p.below}
      order by ${scanned.id}`;
  const rare = (p: RangeParameters & { type: SQL }) => sql`${indexedBy(scanned, "event_log_rare")}
    where ${scanned.event_type} = ${p.type} and ${scanned.event_type} ${isNotAmong(frequentTypes)} and ${isBetween(p)}`;
  const frequent = (p: RangeParameters) => sql`${tableReference(scanned)} where ${isBetween(p)}`;
  const endOfFrequent = statement(range, (p) => endOf(frequent(p)));
  return {
    isFrequent: (type) => frequentTypes.includes(type),
    rare: { ...createScanStatements(log, rare), end: statement({ ...range, type: text }, (p) => endOf(rare(p))) },
    frequent: {
      ...createScanStatements(log, frequent),
      end: ({ company, above, below }) => endOfFrequent({ company, above, below }),
    },
  };
}

/** Returns the FROM term `scanned_event`: the ids of the events that a call scans in a range. */
const scannedEvents = (range: SQL) =>
  sql`(select scanned.id as id from ${range} limit ${SCANNED_EVENTS}) scanned_event`;

const endOf = (range: SQL) =>
  selectRows(
    { last: sql`case when count(*) = ${SCANNED_EVENTS} then max(scanned_event.id) end`.mapWith(nullable(text)) },
    (columns) => sql`select ${columns} from ${scannedEvents(range)}`,
  );

function createScanStatements(
  log: EventLogTable,
  range: (p: RuleRangeParameters) => SQL,
): Pick<ScanStatements, "count" | "add"> {
  const delivery = alias(action_deliveries, "delivery");
  // An event whose content was erased cannot be sent.
  const missing = (
    p: RuleRangeParameters,
  ) => sql`from ${scannedEvents(range(p))} cross join ${log} on ${log.company_id} = ${p.company}
    and ${log.id} = scanned_event.id
    cross join ${rules} on ${rules.id} = ${p.rule} and ${rules.company_id} = ${log.company_id}
      and ${rules.event_type} = ${log.event_type}
    where ${log.event_type} = ${p.type} and ${log.envelope} is not null and ${log.envelope} <> '{}'
      and not exists (select 1 from ${tableReference(delivery)}
        where ${delivery.event_id} = ${eventIdOf(log)} and ${delivery.rule_id} = ${p.rule}
        and ${delivery.kind} = 'webhook')`;
  return {
    count: statement(rangeOfRule, (p) =>
      selectRows({ missing: sql`count(*)`.mapWith(integer) }, (columns) => sql`select ${columns} ${missing(p)}`),
    ),
    add: statement({ ...rangeOfRule, now: integer }, (p) =>
      insertDelivery(
        log,
        {
          ...newDelivery(p.now),
          due_at: p.now,
          kind: "webhook",
          rule_id: rules.id,
          rule_name: rules.name,
          host: rules.host,
          body: log.envelope,
        },
        sql`${missing(p)} on conflict do nothing`,
      ),
    ),
  };
}

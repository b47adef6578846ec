import { and, eq, gte, lt, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { ID_CREATED_WITHIN_MS, idAt } from "../../../../db/email/conditions/messages";
import { allCounts, countedBefore, countedType, isUncounted } from "../../../../db/email/conditions/stats";
import { broadcasts, decisions, messages, skip_days, stats_days } from "../../../../db/email/schema";
import { COUNT_KEYS } from "../../../../schemas/email/delivery/stats";
import type { BatchResults } from "../../../kit/db/db";
import { integer, json, nullable, text } from "../../../kit/db/kind";
import { filterUnlessNull, indexedBy, isInList, jsonEach, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/** A time span in ms since the epoch. `until` is exclusive. */
export type Span = { from: number; until: number };

/**
 * The parts of a span. `days`: whole UTC days, counted from roll-ups, or null if the span contains none. `partial`: the rest of
 * the span, counted from rows.
 */
export type Parts = { days: Span | null; partial: Span[] };

/** The requested span, with its parts for messages (`counts`) and for skipped events and refused recipients (`skips`). */
export type Window = Span & { counts: Parts; skips: Parts };

/**
 * The filters for lanes and events. `narrowed` are the only events that match both, `excluded` those that do not match. Null
 * means no filter.
 */
export type StatsFilter = Record<"lanes" | "events" | "narrowed" | "excluded", readonly string[] | null> & {
  /** only the mail of this broadcast */
  broadcastId: number | null;
  /** only the mail of this newsletter: its confirmations and its broadcasts */
  listId: number | null;
};

const lists = { lanes: nullable(json<readonly string[]>()), events: nullable(json<readonly string[]>()) };
type Lists = { [K in keyof typeof lists]: SQL<readonly string[] | null> };

const matchesFilter = (p: Lists, { lane, event_type }: Record<"lane" | "event_type", SQLWrapper>) =>
  and(filterUnlessNull(p.lanes, isInList(lane, p.lanes)), filterUnlessNull(p.events, isInList(event_type, p.events)));

// `type` is the event type of a roll-up row, which names the broadcast or newsletter. D1 binds numbers as REAL, hence the casts.
const isOfBroadcast = (
  p: { companyId: SQL<number>; broadcastId: SQL<number | null>; listId: SQL<number | null> },
  type: SQLWrapper,
) =>
  and(
    filterUnlessNull(p.broadcastId, sql`${type} = 'broadcast:' || cast(${p.broadcastId} as integer)`),
    filterUnlessNull(
      p.listId,
      sql`(${type} = 'newsletter_confirmation:' || cast(${p.listId} as integer) or ${type} in (select 'broadcast:' || ${broadcasts.id} from ${broadcasts}
        where ${broadcasts.list_id} = ${p.listId} and ${broadcasts.company_id} = ${p.companyId}))`,
    ),
  );

const countFields = Object.fromEntries(
  COUNT_KEYS.map((key) => [key, sql`part.${sql.identifier(key)}`.mapWith(integer)]),
) as Record<(typeof COUNT_KEYS)[number], SQL<number>>;
const fields = {
  day: sql`part.day`.mapWith(text),
  lane: sql`part.lane`.mapWith(text),
  event_type: sql`part.event_type`.mapWith(text),
  ...countFields,
};

/** SQL: the UTC day of a time in ms since the epoch. */
const dayOf = (time: SQLWrapper): SQL => sql`date(${time} / 1000, 'unixepoch')`;

// Selects the roll-ups of whole days, the messages of those days that are not rolled up yet, and the messages of partial
// days. A day, lane and event can have up to three rows, unordered, because grouping in SQL would read every roll-up twice.
const findCounts = statement(
  {
    companyId: messages.company_id,
    from: integer,
    until: integer,
    partial: json<readonly Span[]>(),
    ...lists,
    broadcastId: nullable(integer),
    listId: nullable(integer),
  },
  (p) => {
    const keys = sql.join(
      COUNT_KEYS.map((key) => stats_days[key]),
      sql`, `,
    );
    const sums = sql.join(
      COUNT_KEYS.map((key) => allCounts[key]),
      sql`, `,
    );
    const ofRows = sql`select ${dayOf(messages.accepted_at)}, ${messages.lane}, ${messages.event_type}, ${sums}`;
    const source = indexedBy(messages, "messages_company");
    const isOfCompany = sql`${eq(messages.company_id, p.companyId)} and ${matchesFilter(p, messages)} and ${isOfBroadcast(p, countedType)}`;
    const span = jsonEach(p.partial, "span");
    return selectRows(
      fields,
      (columns) => sql`select ${columns} from (
        select ${stats_days.day} as day, ${stats_days.lane} as lane, ${stats_days.event_type} as event_type, ${keys} from ${stats_days}
          where ${eq(stats_days.company_id, p.companyId)} and ${gte(stats_days.day, dayOf(p.from))} and ${lt(stats_days.day, dayOf(p.until))} and ${matchesFilter(p, stats_days)}
            and ${isOfBroadcast(p, stats_days.event_type)}
        union all ${ofRows} from ${source}
          where ${isOfCompany} and ${messages.accepted_at} >= max(${p.from}, ${countedBefore} - ${ID_CREATED_WITHIN_MS}) and ${lt(messages.accepted_at, p.until)}
            and ${isUncounted} group by 1, 2, 3
        union all ${ofRows} from ${span.from} cross join ${source}
          where ${isOfCompany} and ${messages.accepted_at} >= ${span.item.from} and ${messages.accepted_at} < ${span.item.until} group by 1, 2, 3
      ) part`,
    );
  },
);

// Every refused recipient counts, and one decision of each skipped event.
const isCountedDecision = or(
  eq(decisions.is_skip, true),
  sql`${decisions.reason} in ('recipient_suppressed', 'unsubscribed')`,
);

// Skipped events and refused recipients have separate parts, because decisions may be kept for less time than messages.
const findSkipped = statement(
  {
    companyId: decisions.company_id,
    from: integer,
    until: integer,
    partial: json<readonly Span[]>(),
    ...lists,
    narrowed: nullable(json<readonly string[]>()),
    excluded: nullable(json<readonly string[]>()),
  },
  (p) => {
    const span = jsonEach(p.partial, "span");
    return selectRows(
      { reason: sql`part.reason`.mapWith(text), n: sql`sum(part.n)`.mapWith(integer) },
      (columns) => sql`select ${columns} from (
        select ${skip_days.reason} as reason, ${skip_days.n} as n from ${skip_days}
          where ${eq(skip_days.company_id, p.companyId)} and ${gte(skip_days.day, dayOf(p.from))} and ${lt(skip_days.day, dayOf(p.until))} and ${matchesFilter(p, skip_days)}
        union all select ${decisions.reason}, 1 from ${span.from} cross join ${decisions}
          where ${eq(decisions.company_id, p.companyId)} and ${decisions.id} >= ${idAt(span.item.from)} and ${decisions.id} < ${idAt(span.item.until)}
            and ${isCountedDecision} and ${filterUnlessNull(p.narrowed, isInList(decisions.event_type, p.narrowed))}
            and ${filterUnlessNull(p.excluded, sql`not ${isInList(decisions.event_type, p.excluded)}`)}
      ) part group by 1`,
    );
  },
);

/** Returns the statements for the statistics of a company. */
export function selectStats(
  companyId: number,
  { counts, skips }: Window,
  { narrowed, excluded, broadcastId, listId, ...filter }: StatsFilter,
) {
  const partInput = ({ days, partial }: Parts) => ({
    companyId,
    from: days?.from ?? 0,
    until: days?.until ?? 0,
    partial,
    ...filter,
  });
  return {
    counts: findCounts({ ...partInput(counts), broadcastId, listId }),
    skipped: findSkipped({ ...partInput(skips), narrowed, excluded }),
  };
}

/** The results of selectStats. */
export type StatsResults = BatchResults<ReturnType<typeof selectStats>>;

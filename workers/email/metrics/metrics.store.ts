import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { isWaiting } from "../../../db/email/messages";
import { inForce } from "../../../db/email/pauses";
import { lane_states, message_totals, messages, sender_breakers } from "../../../db/email/schema";
import { countedBefore, countsByKey, isUncounted, TOTAL_KEYS } from "../../../db/email/stats";
import { LANES } from "../../../schemas/email/lanes";
import type { BatchResults } from "../../kit/db/db";
import { integer, nullable, text } from "../../kit/db/kind";
import { indexedBy, q, rows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { MINUTE_MS } from "../../kit/time";

type Totals = Record<(typeof TOTAL_KEYS)[number], SQL<number>>;

const lanes = [...LANES];

// The totals of the roll-ups, and the messages that are not in them yet.
const totalsWith = (companyId: SQL<number>, uncounted: SQL) => {
  const sums = TOTAL_KEYS.map((key) => [key, sql`sum(t.${sql.identifier(key)})`.mapWith(integer)] as const);
  const fields = { lane: sql`t.lane`.mapWith(message_totals.lane), ...(Object.fromEntries(sums) as Totals) };
  const { lane } = message_totals;
  const folded = sql.join([lane, ...TOTAL_KEYS.map((key) => message_totals[key])], sql`, `);
  const counts = sql.join([messages.lane, ...TOTAL_KEYS.map((key) => countsByKey[key])], sql`, `);
  return rows(
    fields,
    (
      columns,
    ) => sql`select ${columns} from (select ${folded} from ${message_totals} where ${eq(message_totals.company_id, companyId)}
      union all select ${counts} ${uncounted} group by 1) t group by 1`,
  );
};

const findTotals = statement({}, () => totalsWith(sql<number>`0`, sql`from ${messages} where ${isUncounted}`));

// A message is accepted a moment before its id is made.
const EARLIER_MS = 10 * MINUTE_MS;

const findTotalsOfCompany = statement({ companyId: message_totals.company_id }, (p) =>
  totalsWith(
    p.companyId,
    sql`from ${indexedBy(messages, "messages_company")} where ${eq(messages.company_id, p.companyId)}
      and ${messages.accepted_at} >= ${countedBefore} - ${EARLIER_MS} and ${isUncounted}`,
  ),
);

// By the index of what waits: it is as long as the backlog, not as the history.
const countWaiting = statement({ companyId: nullable(messages.company_id) }, (p) =>
  q
    .select({
      lane: messages.lane,
      waiting: sql`count(*)`.mapWith(integer),
      oldest: sql`min(${messages.accepted_at})`.mapWith(integer),
    })
    .from(messages)
    .where(
      and(
        inArray(messages.lane, lanes),
        isWaiting,
        sql`(${p.companyId} is null or ${messages.company_id} = ${p.companyId})`,
      ),
    )
    .groupBy(messages.lane),
);

const { lane, company_id, paused } = lane_states;
const isPausedLane = and(inArray(lane, lanes), eq(paused, true));

const findPausesForAll = statement({}, () =>
  q
    .select({ lane, company_id })
    .from(lane_states)
    .where(and(isPausedLane, eq(company_id, 0))),
);

const findPausesOfCompany = statement({ companyId: company_id, platform: text }, (p) =>
  q
    .select({ lane, company_id })
    .from(lane_states)
    .where(and(eq(company_id, p.companyId), eq(paused, true), inForce(p.platform))),
);

const findPausesOfCompanies = statement({ platform: text }, (p) =>
  q
    .selectDistinct({ lane, company_id })
    .from(lane_states)
    .where(and(isPausedLane, gt(company_id, 0), inForce(p.platform))),
);

/** Open breakers by the scope of their sender and by lane; `now` in unix ms. */
export const countOpenBreakers = statement({ now: integer }, (p) => {
  const { scope, lane, open_until } = sender_breakers;
  return q
    .select({ scope, lane, open: sql`count(*)`.mapWith(integer) })
    .from(sender_breakers)
    .where(and(inArray(scope, ["company", "platform"]), inArray(lane, lanes), gt(open_until, 0), gt(open_until, p.now)))
    .groupBy(scope, lane);
});

/**
 * The reads behind the series of messages, of one company or, for null, of all: totals since the beginning, what waits and
 * since when (unix ms), the lanes that are paused for everybody (company 0) and for companies. `platform`: the fingerprint of
 * the platform's credentials in force.
 */
export const messageReads = (companyId: number | null, platform: string) => ({
  totals: companyId === null ? findTotals() : findTotalsOfCompany({ companyId }),
  queue: countWaiting({ companyId }),
  pausesForAll: findPausesForAll(),
  pausesOfCompanies:
    companyId === null ? findPausesOfCompanies({ platform }) : findPausesOfCompany({ companyId, platform }),
});

/** What the reads behind the series of messages have found. */
export type MessageFigures = BatchResults<ReturnType<typeof messageReads>>;

/** What the count of open breakers has found. */
export type BreakerFigures = BatchResults<{ breakers: ReturnType<typeof countOpenBreakers> }>["breakers"];

import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { inForce } from "../../../db/email/pauses";
import { lane_states, message_totals, messages, sender_breakers } from "../../../db/email/schema";
import { LANES } from "../../../schemas/email/lanes";
import type { BatchResults } from "../../kit/db/db";
import { integer, nullable, text } from "../../kit/db/kind";
import { all, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const lanes = [...LANES];

const findTotals = statement({ companyId: message_totals.company_id }, (p) =>
  q.select(all(message_totals)).from(message_totals).where(eq(message_totals.company_id, p.companyId)),
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
        inArray(messages.status, ["queued", "retrying"]),
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
  totals: findTotals({ companyId: companyId ?? 0 }),
  queue: countWaiting({ companyId }),
  pausesForAll: findPausesForAll(),
  pausesOfCompanies:
    companyId === null ? findPausesOfCompanies({ platform }) : findPausesOfCompany({ companyId, platform }),
});

/** What the reads behind the series of messages have found. */
export type MessageFigures = BatchResults<ReturnType<typeof messageReads>>;

/** What the count of open breakers has found. */
export type BreakerFigures = BatchResults<{ breakers: ReturnType<typeof countOpenBreakers> }>["breakers"];

import { inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { isScheduled } from "../../../../db/email/conditions/messages";
import { isInForce } from "../../../../db/email/conditions/pauses";
import { broadcasts, event_log, isTroubled, lane_states, messages } from "../../../../db/email/schema";
import { LANES } from "../../../../schemas/email/delivery/lanes";
import { integer, text } from "../../../kit/db/kind";
import { indexedBy } from "../../../kit/db/query";
import { createOverview, type EntryParameters, type OverviewEntry } from "../../../kit/overview/entry.store";
import { jobsParameter, kitEntries } from "../../../kit/overview/kit-entries.store";
import { pathOf } from "../../../kit/overview/path";
import { DAY_MS } from "../../../kit/time";

const pause = lane_states;
const ofLanes = inArray(pause.lane, [...LANES]);

/** Pauses of lanes. A pause for all companies counts for each company. */
const pausedLanes: OverviewEntry = {
  code: "lanes_paused",
  severity: "warning",
  rows: ({ company, serviceParameters }: EntryParameters) => {
    const inForce = isInForce(sql`${serviceParameters.platform}`);
    if (company === null) {
      return sql`select distinct ${pause.company_id} as company_id, ${pause.lane}, 1 as matches from ${pause}
        where ${ofLanes} and ${pause.paused} = 1 and ${inForce}`;
    }
    return sql`select ${company} as company_id, 1 as matches from (
      select ${pause.lane} from ${pause} where ${ofLanes} and ${pause.paused} = 1 and ${pause.company_id} = 0
      union select ${pause.lane} from ${pause} where ${pause.company_id} = ${company} and ${pause.paused} = 1 and ${inForce})`;
  },
  list: ({ companyId }) => (companyId === null ? "/api/v1/lanes" : pathOf("/api/v1/lanes", { company_id: companyId })),
};

const open = alias(messages, "open");

// The index of waiting messages has no company, so that messages need no further index. Normally few messages wait.
const waitingMessages: OverviewEntry = {
  code: "messages_waiting",
  severity: "warning",
  rows: ({ company, now }) => sql`select ${company ?? open.company_id} as company_id,
      ${company === null ? sql`1` : sql`${open.company_id} = ${company}`} as matches
    from ${indexedBy(open, "messages_open")}
    where ${inArray(open.lane, [...LANES])} and ${open.next_attempt_at} is not null and not ${isScheduled(open, now)}`,
  list: ({ companyId }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/messages", { company_id: companyId, status: "queued,sending,retrying" }),
};

const failed = alias(messages, "failed");
const next = alias(messages, "next");

// Jumps from company to company in the index of rare statuses.
const companiesWithTroubledMessages = sql`(with recursive ids(id) as (
    select min(${failed.company_id}) from ${indexedBy(failed, "messages_troubled")} where ${isTroubled(failed.status)}
    union all select (select min(${next.company_id}) from ${indexedBy(next, "messages_troubled")}
      where ${isTroubled(next.status)} and ${next.company_id} > ids.id) from ids where ids.id is not null)
  select id from ids where id is not null) company`;

const failedMessages: OverviewEntry = {
  code: "messages_failed",
  severity: "error",
  sinceMs: DAY_MS,
  rows: ({ company, now }) => sql`select company.id as company_id,
      coalesce(${inArray(failed.status, ["failed", "expired"])}, 0) as matches
    from ${company === null ? companiesWithTroubledMessages : sql`(select ${company} as id) company`}
    left join ${indexedBy(failed, "messages_troubled")} on ${failed.company_id} = company.id
      and ${failed.accepted_at} >= ${now} - ${DAY_MS} and ${isTroubled(failed.status)}`,
  list: ({ companyId, since }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/messages", { company_id: companyId, status: "failed,expired", from: since }),
};

const FAILED_BROADCASTS_MS = 7 * DAY_MS;
const failedBroadcast = alias(broadcasts, "failed_broadcast");
const nextBroadcast = alias(broadcasts, "next_broadcast");

// Jumps from company to company in the index of states.
const companiesWithBroadcasts = sql`(with recursive ids(id) as (
    select min(${failedBroadcast.company_id}) from ${indexedBy(failedBroadcast, "broadcasts_state")}
    union all select (select min(${nextBroadcast.company_id}) from ${indexedBy(nextBroadcast, "broadcasts_state")}
      where ${nextBroadcast.company_id} > ids.id) from ids where ids.id is not null)
  select id from ids where id is not null) company`;

const failedBroadcasts: OverviewEntry = {
  code: "broadcasts_failed",
  severity: "error",
  sinceMs: FAILED_BROADCASTS_MS,
  rows: ({ company, now }) => sql`select company.id as company_id,
      coalesce(${failedBroadcast.updated_at} >= ${now} - ${FAILED_BROADCASTS_MS}, 0) as matches
    from ${company === null ? companiesWithBroadcasts : sql`(select ${company} as id) company`}
    left join ${indexedBy(failedBroadcast, "broadcasts_state")} on ${failedBroadcast.company_id} = company.id
      and ${failedBroadcast.state} = 'failed'`,
  list: ({ companyId, since }) =>
    companyId === null
      ? null
      : pathOf("/api/v1/broadcasts", { company_id: companyId, state: "failed", updated_since: since }),
};

/** The statements that read the overview of email. `platform` is the fingerprint of the platform's credentials. */
export const overview = createOverview(
  [
    ...kitEntries(event_log, (_company, { serviceParameters }) => sql`${serviceParameters.retentionDays}`),
    pausedLanes,
    waitingMessages,
    failedMessages,
    failedBroadcasts,
  ],
  { retentionDays: integer, platform: text },
  jobsParameter,
);

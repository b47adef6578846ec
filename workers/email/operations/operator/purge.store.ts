import { and, eq, gt, isNotNull, lt, notInArray, type SQL, sql } from "drizzle-orm";
import { type AnySQLiteColumn, alias, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { publishedVersion } from "../../../../db/email/conditions/custom-templates";
import { idAt } from "../../../../db/email/conditions/messages";
import { firstUncounted } from "../../../../db/email/conditions/stats";
import {
  broadcasts,
  default_contents,
  event_log,
  figure_hours,
  messages,
  provider_events,
  send_requests,
  stats_days,
  suppressions,
  template_versions,
  templates,
} from "../../../../db/email/schema";
import { oldAuditEntries } from "../../../kit/audit/purge.store";
import { tableReference } from "../../../kit/db/query";
import { agedByCompany, agedRows, oldJobRuns, type PurgeTarget } from "../../../kit/jobs/purge/purge.store";
import { DAY_MS, HOUR_MS } from "../../../kit/time";
import { endedSecrets, finishedWebhooks, oldEvents, quietHosts } from "../../../kit/webhooks/purge.store";
import { oldDecisions, oldSkips } from "./purge-by-company.store";
import { leftSubscribers, unconfirmedSubscribers } from "./purge-subscribers.store";

type Services = {
  settings: {
    eventRetentionDays: number;
    messageRetentionDays: number;
    idempotencyMs: number;
    newsletters: { pendingDays: number };
  };
};

const HISTORY_DAYS = 400;
/** Repeated provider events are recognized for this many days. */
const PROVIDER_EVENT_DAYS = 30;

const eventRetention = ({ settings }: Services, now: number) => now - settings.eventRetentionDays * DAY_MS;
const idempotencyStart = ({ settings }: Services, now: number) => now - settings.idempotencyMs;
const historyRetention = (_services: Services, now: number) => now - HISTORY_DAYS * DAY_MS;

const oldStats = agedByCompany<Services>({
  name: "stats_days",
  table: stats_days,
  key: [stats_days.company_id, stats_days.day, stats_days.lane, stats_days.event_type],
  end: (services, now) => new Date(historyRetention(services, now)).toISOString().slice(0, 10),
});

const oldCounters = agedByCompany<Services>({
  name: "figure_hours",
  table: figure_hours,
  key: [figure_hours.company_id, figure_hours.hour, figure_hours.name, figure_hours.a, figure_hours.b],
  // Hour 0 contains the totals since the beginning.
  terms: (hour) => gt(hour, sql`0`),
  end: (_services, now) => Math.floor((now - 2 * DAY_MS) / HOUR_MS),
});

/** Returns the purge target for rows whose id was created before the time `cutoff`. */
function createdBefore(target: {
  name: string;
  table: SQLiteTable;
  id: AnySQLiteColumn;
  terms?: SQL;
  /** exclusive upper limit of ids */
  before?: SQL<string>;
  cutoff: (services: Services, now: number) => number;
}): PurgeTarget<Services> {
  const { name, table, id, terms, before, cutoff } = target;
  const end = (at: SQL) => (before === undefined ? idAt(at) : sql`min(${idAt(at)}, ${before})`);
  return {
    name,
    table,
    key: [id],
    find: (bound) => sql`select ${id} from ${table} where ${and(lt(id, end(bound("cutoff"))), terms)} order by ${id}`,
    bounds: (services, now) => ({ cutoff: cutoff(services, now) }),
  };
}

/** Minimum time before a deleted template is purged, because a request may have read it and not stored its message yet. */
const HIDDEN_MS = HOUR_MS;
const hiddenBefore = (_services: Services, now: number) => ({ cutoff: now - HIDDEN_MS });

const version = alias(template_versions, "version");
const isOldHidden = (bound: (name: string) => SQL) =>
  sql`${templates.hidden_at} is not null and ${lt(templates.hidden_at, bound("cutoff"))}`;

// Selects the templates of waiting messages. SQLite runs this query once, and only when a deleted template exists.
const templatesOfWaitingMessages = sql`select ${version.template_id} from ${messages} cross join ${tableReference(version)} on ${version.id} = ${messages.version_id}
  where ${messages.lane} in ('auth', 'transactional', 'bulk') and ${messages.next_attempt_at} is not null`;

/** Versions of deleted templates that neither a waiting message nor a broadcast uses. */
const hiddenVersions: PurgeTarget<Services> = {
  name: "template_versions",
  table: template_versions,
  find: (
    bound,
  ) => sql`select ${version.id} from ${templates} cross join ${tableReference(version)} on ${version.template_id} = ${templates.id}
    where ${isOldHidden(bound)} and ${templates.id} not in (${templatesOfWaitingMessages})
      and not exists (select 1 from ${broadcasts} where ${broadcasts.template_id} = ${templates.id})`,
  bounds: hiddenBefore,
};

/** Deleted templates without versions. */
const hiddenTemplates: PurgeTarget<Services> = {
  name: "templates",
  table: templates,
  find: (bound) => sql`select ${templates.id} from ${templates} where ${isOldHidden(bound)}
    and not exists (select 1 from ${tableReference(version)} where ${version.template_id} = ${templates.id})`,
  bounds: hiddenBefore,
};

/** Published versions that equal a default content of a company's own event type, whose key is `<company>:<event type>`. */
const publishedAsDefault = sql`select 1 from ${templates} ${publishedVersion}
  where ${templates.company_id} = cast(${default_contents.event_type} as integer)
    and ${templates.event_type} = substr(${default_contents.event_type}, instr(${default_contents.event_type}, ':') + 1)
    and ${templates.kind} = 'event' and ${templates.hidden_at} is null
    and ${default_contents.checksum} = ${default_contents.event_type} || ':' || ${template_versions.checksum}`;

/**
 * Default contents of companies' own event types that were replaced, unless a waiting message uses them. Those that equal a
 * published version stay, because they show that the template was never edited.
 */
const retiredContents: PurgeTarget<Services> = {
  name: "default_contents",
  table: default_contents,
  key: [default_contents.checksum],
  find: (bound) => sql`select ${default_contents.checksum} from ${default_contents}
    where ${default_contents.retired_at} is not null and ${lt(default_contents.retired_at, bound("cutoff"))}
      and ${default_contents.checksum} not in (select ${messages.default_checksum} from ${messages}
        where ${messages.lane} in ('auth', 'transactional', 'bulk') and ${messages.next_attempt_at} is not null
          and ${messages.default_checksum} is not null)
      and not exists (${publishedAsDefault})`,
  bounds: hiddenBefore,
};

/** The purge targets with their retention, in the order in which they are reported. */
export const expiredRows: PurgeTarget<Services>[] = [
  oldEvents(event_log, ({ settings }) => settings.eventRetentionDays * DAY_MS),
  finishedWebhooks(eventRetention),
  oldJobRuns,
  createdBefore({
    name: "messages",
    table: messages,
    id: messages.id,
    // Keeps messages that are waiting or not rolled up yet, and messages whose idempotency key is still valid.
    terms: notInArray(messages.status, ["queued", "sending", "retrying"]),
    before: firstUncounted,
    cutoff: (services, now) =>
      Math.min(now - services.settings.messageRetentionDays * DAY_MS, idempotencyStart(services, now)),
  }),
  createdBefore({ name: "send_requests", table: send_requests, id: send_requests.id, cutoff: idempotencyStart }),
  agedRows({
    name: "suppressions",
    table: suppressions,
    column: suppressions.expires_at,
    terms: isNotNull(suppressions.expires_at),
    cutoff: (_services, now) => now,
  }),
  unconfirmedSubscribers,
  leftSubscribers,
  hiddenVersions,
  hiddenTemplates,
  retiredContents,
  oldAuditEntries({ isCounted: true }),
  agedRows({
    name: "provider_events",
    table: provider_events,
    key: [provider_events.signing_scope, provider_events.hook_id],
    column: provider_events.created_at,
    cutoff: (_services, now) => now - PROVIDER_EVENT_DAYS * DAY_MS,
  }),
  agedRows({
    name: "waiting_provider_events",
    table: provider_events,
    key: [provider_events.signing_scope, provider_events.hook_id],
    column: provider_events.created_at,
    terms: eq(provider_events.applied, false),
    cutoff: (_services, now) => now - DAY_MS,
  }),
  oldStats,
  oldSkips,
  oldDecisions,
  oldCounters,
  endedSecrets,
  quietHosts,
];

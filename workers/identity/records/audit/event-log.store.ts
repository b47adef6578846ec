import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { userEventData } from "../../../../db/identity/conditions/company-user";
import { event_log, memberships, preferences, users } from "../../../../db/identity/schema";
import { text } from "../../../kit/db/kind";
import { insertSelect, queryBuilder, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const entryParameters = { eventId: event_log.id, companyId: event_log.company_id, type: event_log.event_type };
const now = event_log.created_at;
const location = { country: event_log.country, city: event_log.city, timezone: event_log.timezone };

// Events about a user contain their language and region.
const withPreferences = sql`left join ${preferences} on ${preferences.user_id} = ${users.id}`;

/** Inserts an entry that is built from parameters only. */
export const insertEvent = statement(
  {
    ...entryParameters,
    userId: event_log.user_id,
    email: event_log.user_email,
    data: event_log.data,
    actor: event_log.actor,
    envelope: event_log.envelope,
    outcome: event_log.outcome,
    provider: event_log.provider,
    isStaff: event_log.is_staff_at_event,
    ...location,
    now,
  },
  (p) =>
    queryBuilder
      .insert(event_log)
      .values({
        id: p.eventId,
        company_id: p.companyId,
        event_type: p.type,
        user_id: p.userId,
        user_email: p.email,
        data: p.data,
        actor: p.actor,
        envelope: p.envelope,
        outcome: p.outcome,
        provider: p.provider,
        is_staff_at_event: p.isStaff,
        country: p.country,
        city: p.city,
        timezone: p.timezone,
        created_at: p.now,
      })
      .onConflictDoNothing(),
);

/** Returns the columns of an entry about a user whom the same statement selects. */
const userEventColumns = <P extends Record<"eventId" | "companyId" | "now", SQL>>(p: P) => ({
  id: p.eventId,
  company_id: p.companyId,
  user_id: users.id,
  user_email: users.email,
  created_at: p.now,
});

const change = { ...entryParameters, userId: users.id, data: event_log.data, actor: event_log.actor, now };

/** Inserts the event of a change that an administrator or the user made, if the statement directly before it changed a row. */
export const insertChangeEvent = statement(change, (p) =>
  insertSelect(
    event_log,
    {
      ...userEventColumns(p),
      event_type: p.type,
      data: p.data,
      actor: p.actor,
    },
    sql`from ${users} where changes() > 0 and ${users.id} = ${p.userId} on conflict do nothing`,
  ),
);

/** Like insertChangeEvent, for a change by the directory or the platform, which are no users. */
export const insertUserlessChangeEvent = statement(
  { ...entryParameters, data: event_log.data, actor: event_log.actor, now },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.eventId,
        company_id: p.companyId,
        event_type: p.type,
        data: p.data,
        actor: p.actor,
        created_at: p.now,
      },
      sql`where changes() > 0 on conflict do nothing`,
    ),
);

/**
 * Like insertChangeEvent, for a new webhook subscription. Must run directly after its INSERT; adds the new row id as
 * `rule_id`.
 */
export const insertRuleEvent = statement(change, (p) =>
  insertSelect(
    event_log,
    {
      ...userEventColumns(p),
      event_type: p.type,
      data: sql`json_set(${p.data}, '$.rule_id', last_insert_rowid())`,
      actor: p.actor,
    },
    sql`from ${users} where changes() > 0 and ${users.id} = ${p.userId} on conflict do nothing`,
  ),
);

/**
 * Like insertChangeEvent, for an event about a user. The event data has the user's fields and the fields of `details` (a
 * JSON object).
 */
export const insertUserEvent = statement(
  { ...entryParameters, userId: users.id, source: text, details: event_log.data, actor: event_log.actor, now },
  (p) =>
    insertSelect(
      event_log,
      {
        ...userEventColumns(p),
        event_type: p.type,
        data: userEventData(p.source, p.details),
        actor: p.actor,
      },
      sql`from ${users} ${withPreferences} where changes() > 0 and ${users.id} = ${p.userId} on conflict do nothing`,
    ),
);

const earlier = alias(event_log, "earlier");

/** Inserts `identity.user.created` for an account's first membership. `details` is a JSON object. */
export const insertUserCreatedEvent = statement(
  {
    email: users.email,
    companyId: memberships.company_id,
    eventId: event_log.id,
    source: text,
    details: event_log.data,
    now,
  },
  (p) =>
    insertSelect(
      event_log,
      {
        ...userEventColumns(p),
        event_type: "identity.user.created",
        data: userEventData(p.source, p.details),
      },
      sql`from ${users}
        join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
        ${withPreferences}
        where ${users.email} = ${p.email} and ${users.created_at} = ${p.now} and ${memberships.created_at} = ${p.now}
          and not exists (select 1 from ${tableReference(earlier)} where ${earlier.user_id} = ${users.id}
            and ${earlier.event_type} = 'identity.user.created')
        on conflict do nothing`,
    ),
);

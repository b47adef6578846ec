import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { userBlock, userEventData } from "../../../db/identity/person";
import {
  auth_codes,
  counters,
  event_log,
  memberships,
  preferences,
  sessions,
  users,
} from "../../../db/identity/schema";
import { text } from "../../kit/db/kind";
import { from, insertSelect, name, q } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";

const about = { eventId: event_log.event_id, companyId: event_log.company_id, type: event_log.event_type };
const now = event_log.created_at;
const place = { country: event_log.country, city: event_log.city, timezone: event_log.timezone };

// The user's language and region stand in events about them.
const withPreferences = sql`left join ${preferences} on ${preferences.user_id} = ${users.id}`;

/** An entry whose values are all known. */
export const insertEvent = statement(
  {
    ...about,
    userId: event_log.user_id,
    email: event_log.user_email,
    data: event_log.data,
    actor: event_log.actor,
    outcome: event_log.outcome,
    provider: event_log.provider,
    isStaff: event_log.is_staff_at_event,
    ...place,
    now,
  },
  (p) =>
    q
      .insert(event_log)
      .values({
        event_id: p.eventId,
        company_id: p.companyId,
        event_type: p.type,
        user_id: p.userId,
        user_email: p.email,
        data: p.data,
        actor: p.actor,
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

const isStaffText = sql`json(case ${users.is_staff} when 1 then 'true' else 'false' end)`;

/** The sign-in that made a session, in its batch. */
export const insertLoginEvent = statement(
  { sid: sessions.id, eventId: event_log.event_id, data: event_log.data, ...place, now },
  (p) =>
    insertSelect(
      event_log,
      {
        event_id: p.eventId,
        company_id: sessions.company_id,
        event_type: "identity.auth.login.succeeded",
        user_id: users.id,
        user_email: users.email,
        data: sql`json_set(${p.data}, '$.is_staff_at_event', ${isStaffText})`,
        outcome: "success",
        provider: sessions.provider,
        is_staff_at_event: users.is_staff,
        country: p.country,
        city: p.city,
        timezone: p.timezone,
        created_at: p.now,
      },
      sql`from ${sessions} join ${users} on ${users.id} = ${sessions.user_id} where ${sessions.id} = ${p.sid}
        on conflict do nothing`,
    ),
);

/** The sign-in of a redeemed code; its audit data is that of the consume. */
export const insertRedeemedLoginEvent = statement(
  { sid: sessions.id, eventId: event_log.event_id, codeHash: auth_codes.code_hash, now },
  (p) =>
    insertSelect(
      event_log,
      {
        event_id: p.eventId,
        company_id: sessions.company_id,
        event_type: "identity.auth.login.succeeded",
        user_id: users.id,
        user_email: users.email,
        data: sql`json_set(${auth_codes.client_context}, '$.is_staff_at_event', ${isStaffText})`,
        outcome: "success",
        provider: sessions.provider,
        is_staff_at_event: users.is_staff,
        country: sql`${auth_codes.client_context} ->> '$.client_country'`,
        city: sql`${auth_codes.client_context} ->> '$.client_city'`,
        timezone: sql`${auth_codes.client_context} ->> '$.client_timezone'`,
        created_at: p.now,
      },
      sql`from ${sessions} join ${users} on ${users.id} = ${sessions.user_id}
        join ${auth_codes} on ${auth_codes.code_hash} = ${p.codeHash} where ${sessions.id} = ${p.sid}
        on conflict do nothing`,
    ),
);

const change = { ...about, userId: users.id, data: event_log.data, actor: event_log.actor, now };

/**
 * What an administrator or the person did. It stands right behind the statement that did it, and is written only when
 * that statement changed a row.
 */
export const insertChangeEvent = statement(change, (p) =>
  insertSelect(
    event_log,
    {
      event_id: p.eventId,
      company_id: p.companyId,
      event_type: p.type,
      user_id: users.id,
      user_email: users.email,
      data: p.data,
      actor: p.actor,
      created_at: p.now,
    },
    sql`from ${users} where changes() > 0 and ${users.id} = ${p.userId} on conflict do nothing`,
  ),
);

/** As insertChangeEvent, behind the statement that added a webhook rule, with the id that the rule was given. */
export const insertRuleEvent = statement(change, (p) =>
  insertSelect(
    event_log,
    {
      event_id: p.eventId,
      company_id: p.companyId,
      event_type: p.type,
      user_id: users.id,
      user_email: users.email,
      data: sql`json_set(${p.data}, '$.rule_id', last_insert_rowid())`,
      actor: p.actor,
      created_at: p.now,
    },
    sql`from ${users} where changes() > 0 and ${users.id} = ${p.userId} on conflict do nothing`,
  ),
);

/**
 * An event about a user, with who they are in its data; `more` is a JSON object. As insertChangeEvent, it stands right
 * behind the change and follows it.
 */
export const insertUserEvent = statement(
  { ...about, userId: users.id, source: text, more: event_log.data, actor: event_log.actor, now },
  (p) =>
    insertSelect(
      event_log,
      {
        event_id: p.eventId,
        company_id: p.companyId,
        event_type: p.type,
        user_id: users.id,
        user_email: users.email,
        data: userEventData(p.source, p.more),
        actor: p.actor,
        created_at: p.now,
      },
      sql`from ${users} ${withPreferences} where changes() > 0 and ${users.id} = ${p.userId} on conflict do nothing`,
    ),
);

const earlier = alias(event_log, "e");

/** `identity.user.created`, for an account's first membership; `more` is a JSON object. */
export const insertUserCreatedEvent = statement(
  {
    email: users.email,
    companyId: memberships.company_id,
    eventId: event_log.event_id,
    source: text,
    more: event_log.data,
    now,
  },
  (p) =>
    insertSelect(
      event_log,
      {
        event_id: p.eventId,
        company_id: p.companyId,
        event_type: "identity.user.created",
        user_id: users.id,
        user_email: users.email,
        data: userEventData(p.source, p.more),
        created_at: p.now,
      },
      sql`from ${users}
        join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
        ${withPreferences}
        where ${users.email} = ${p.email} and ${users.created_at} = ${p.now} and ${memberships.created_at} = ${p.now}
          and not exists (select 1 from ${from(earlier)} where ${earlier.user_id} = ${users.id}
            and ${earlier.event_type} = 'identity.user.created')
        on conflict do nothing`,
    ),
);

/**
 * `identity.membership.requested`; as insertChangeEvent, it stands right behind the statement that made the membership,
 * and follows it.
 */
export const insertRequestedEvent = statement(
  {
    email: users.email,
    companyId: event_log.company_id,
    eventId: event_log.event_id,
    source: text,
    state: memberships.state,
    now,
  },
  (p) =>
    insertSelect(
      event_log,
      {
        event_id: p.eventId,
        company_id: p.companyId,
        event_type: "identity.membership.requested",
        user_id: users.id,
        user_email: users.email,
        data: userBlock(p.source, sql`, 'access_state', ${p.state}`),
        created_at: p.now,
      },
      sql`from ${users} ${withPreferences} where changes() > 0 and ${users.email} = ${p.email} on conflict do nothing`,
    ),
);

/**
 * One audit entry of a session that reuse of a refresh token ended, with the client that showed the token; the session id
 * is its event id.
 */
export const insertReuseEvent = statement(
  { sid: sessions.id, now, data: event_log.data, country: event_log.country, city: event_log.city },
  (p) =>
    insertSelect(
      event_log,
      {
        event_id: sessions.id,
        company_id: sessions.company_id,
        event_type: "identity.auth.session.reuse_detected",
        user_id: users.id,
        user_email: users.email,
        data: sql`json_set(${p.data}, '$.provider', ${sessions.provider}, '$.is_staff_at_event', ${isStaffText})`,
        outcome: "failure",
        provider: sessions.provider,
        is_staff_at_event: users.is_staff,
        country: p.country,
        city: p.city,
        created_at: p.now,
      },
      sql`from ${sessions} join ${users} on ${users.id} = ${sessions.user_id}
        where ${sessions.id} = ${p.sid} and ${sessions.revoked_at} = ${p.now}
          and ${sessions.revoke_reason} = 'refresh_token_reused' on conflict do nothing`,
    ),
);

/** Adds 1 to a stored total, once per event row that is written after it. */
export const countWithEvent = statement(
  { companyId: counters.company_id, name: counters.name, label: counters.label, eventId: event_log.event_id },
  (p) =>
    insertSelect(
      counters,
      { company_id: p.companyId, name: p.name, label: p.label, value: 1 },
      sql`where not exists (select 1 from ${event_log} where ${event_log.event_id} = ${p.eventId})
        on conflict (${name(counters.company_id)}, ${name(counters.name)}, ${name(counters.label)})
        do update set ${name(counters.value)} = ${name(counters.value)} + 1`,
    ),
);

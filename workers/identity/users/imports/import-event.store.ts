import { type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { userEventData, userJson } from "../../../../db/identity/conditions/company-user";
import { event_log, group_members, groups, memberships, preferences, users } from "../../../../db/identity/schema";
import { json, nullable, text } from "../../../kit/db/kind";
import { insertSelect, jsonEach, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import type { GroupJoin, Rename } from "./import.store";

// The events of a chunk of imported people. A repeated batch inserts none.

const MAX_EVENT_USERS = 100;
const SOURCE = sql`'command'`;

const chunk = { companyId: event_log.company_id, actor: nullable(event_log.actor), now: event_log.created_at };
type Chunk = { companyId: SQLWrapper; actor: SQLWrapper; now: SQLWrapper };

const userEvent = (p: Chunk, eventId: SQLWrapper) => ({
  id: eventId,
  company_id: p.companyId,
  user_id: users.id,
  user_email: users.email,
  actor: p.actor,
  created_at: p.now,
});
const withPreferences = sql`left join ${preferences} on ${preferences.user_id} = ${users.id}`;

const earlier = alias(event_log, "earlier");

/** Inserts `identity.user.created` for the accounts that the batch created. */
export const insertCreatedEvents = statement(
  { ...chunk, created: json<{ email: string; created_at: number; event_id: string }[]>() },
  (p) => {
    const { from, item } = jsonEach(p.created, "person");
    return insertSelect(
      event_log,
      { ...userEvent(p, item.event_id), event_type: "identity.user.created", data: userJson(SOURCE) },
      sql`from ${from} cross join ${users} on ${users.email} = ${item.email}
        cross join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
        ${withPreferences}
        where ${users.created_at} = ${item.created_at} and ${users.updated_at} = ${p.now} and ${memberships.state_at} = ${p.now}
          and not exists (select 1 from ${tableReference(earlier)} where ${earlier.user_id} = ${users.id}
            and ${earlier.event_type} = 'identity.user.created')
        on conflict do nothing`,
    );
  },
);

/** Inserts `identity.membership.enabled` for the people to whom the batch gave access. Must run after importMembers.allow. */
export const insertEnabledEvents = statement(
  { ...chunk, enabled: json<{ email: string; event_id: string }[]>() },
  (p) => {
    const { from, item } = jsonEach(p.enabled, "person");
    return insertSelect(
      event_log,
      {
        ...userEvent(p, item.event_id),
        event_type: "identity.membership.enabled",
        data: userEventData(SOURCE, sql`json_object('access_state', 'allowed')`),
      },
      sql`from ${from} cross join ${users} on ${users.email} = ${item.email}
        cross join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
        ${withPreferences}
        where ${memberships.state} = 'allowed' and ${memberships.state_at} = ${p.now} on conflict do nothing`,
    );
  },
);

/** Inserts `identity.user.updated` for people whose names differ. Must run before the statements that rename them. */
export const insertRenamedEvents = statement({ ...chunk, renames: json<Rename[]>() }, (p) => {
  const { from, item } = jsonEach(p.renames, "person");
  const nameOf = (key: "first_name" | "last_name") =>
    sql`coalesce(${memberships.profile} ->> ${sql.raw(`'$.${key}'`)}, ${users[key]})`;
  return insertSelect(
    event_log,
    {
      ...userEvent(p, item.event_id),
      event_type: "identity.user.updated",
      data: userEventData(SOURCE, sql`json_object('changed_fields', json(${item.changed_fields}))`),
    },
    sql`from ${from} cross join ${users} on ${users.id} = ${item.user_id}
      cross join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
      ${withPreferences}
      where (${nameOf("first_name")} <> ${item.first_name} or ${nameOf("last_name")} <> ${item.last_name})
      on conflict do nothing`,
  );
});

/**
 * Inserts `identity.group.membership_changed` for each group that people join. Must run before the statement that adds them.
 */
export const insertJoinEvents = statement(
  {
    ...chunk,
    callerId: nullable(users.id),
    groups: json<{ group_id: string; event_id: string }[]>(),
    joins: json<GroupJoin[]>(),
  },
  (p) => {
    const group = jsonEach(p.groups, "joined_group");
    const joined = jsonEach(p.joins, "joined");
    const newUsers = sql`(select json_group_array(id) from (select ${users.id} as id
      from ${joined.from} cross join ${users} on ${users.email} = ${joined.item.email} and ${users.is_staff} = 0
        cross join ${memberships} on ${memberships.company_id} = ${p.companyId} and ${memberships.user_id} = ${users.id}
      where ${joined.item.group_id} = ${groups.id} and not exists (select 1 from ${group_members}
        where ${group_members.group_id} = ${groups.id} and ${group_members.user_id} = ${users.id})
      limit ${MAX_EVENT_USERS}))`;
    return insertSelect(
      event_log,
      {
        id: sql`changed.event_id`,
        company_id: p.companyId,
        event_type: "identity.group.membership_changed",
        user_id: p.callerId,
        user_email: sql`(select ${users.email} from ${users} where ${users.id} = ${p.callerId})`,
        data: sql`json_object('change', 'members_added', 'display_name', changed.display_name, 'group_id', changed.id,
          'source', 'admin', 'user_ids', json(changed.user_ids))`,
        actor: p.actor,
        created_at: p.now,
      },
      sql`from (select ${groups.id} as id, ${groups.display_name} as display_name, ${group.item.event_id} as event_id,
          ${newUsers} as user_ids
        from ${group.from} cross join ${groups} on ${groups.id} = ${group.item.group_id} and ${groups.company_id} = ${p.companyId}
          and ${groups.source} = 'admin') changed
        where changed.user_ids <> '[]' on conflict do nothing`,
    );
  },
);

/** Inserts the audit entry of an import or export. `callerId` is null for the operator. */
export const insertTransferEvent = statement(
  { ...chunk, id: event_log.id, type: text, callerId: nullable(users.id), data: event_log.data },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.id,
        company_id: p.companyId,
        event_type: p.type,
        user_id: p.callerId,
        user_email: sql`(select ${users.email} from ${users} where ${users.id} = ${p.callerId})`,
        data: p.data,
        actor: p.actor,
        created_at: p.now,
      },
      sql`where true on conflict do nothing`,
    ),
);

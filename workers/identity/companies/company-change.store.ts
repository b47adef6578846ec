import { and, eq, inArray, notInArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { freeUsername, userBlock, usernameParameters } from "../../../db/identity/person";
import { companies, event_log, memberships, oauth_redirects, preferences, users } from "../../../db/identity/schema";
import { boolean, integer, json, nullable, text } from "../../kit/db/kind";
import { each, from, insertSelect, name, q, rows } from "../../kit/db/query";
import { statement } from "../../kit/db/statement";
import { ownedCompanyColumns } from "./company.store";

// A new company is keyed by the event that reports it: a batch that is repeated after a lost connection adds nothing, and
// every other statement of it finds the company by that event.

const newCompany = { eventId: event_log.event_id, now: integer };
const isReported = (eventId: SQLWrapper) =>
  sql`exists (select 1 from ${event_log} where ${event_log.event_id} = ${eventId})`;

/**
 * A company with the first slug that is free. Nothing when none is, or when an owner is a staff account, which only a
 * command lets in.
 */
export const insertCompany = statement(
  {
    ...newCompany,
    name: companies.name,
    slugs: json<string[]>(),
    accessMode: companies.access_mode,
    domains: companies.allowed_email_domains,
    retentionDays: companies.data_retention_days,
    ownerEmails: json<string[]>(),
    admitsStaff: boolean,
  },
  (p) => {
    const slug = each(p.slugs, "slug");
    const owner = each(p.ownerEmails, "owner");
    return insertSelect(
      companies,
      {
        name: p.name,
        slug: sql`free.value`,
        access_mode: p.accessMode,
        allowed_email_domains: p.domains,
        data_retention_days: p.retentionDays,
        created_at: p.now,
        updated_at: p.now,
      },
      sql`from (select ${slug.value} from ${slug.from}
          where not exists (select 1 from ${companies} where ${companies.slug} = ${slug.value})
          order by slug.key limit 1) free
        where not ${isReported(p.eventId)}
          and not exists (select 1 from ${owner.from} cross join ${users} on ${users.email} = ${owner.value}
            where ${users.is_staff} = 1 and not ${p.admitsStaff})`,
    );
  },
);

/** The audit entry of a company, right behind the statement that inserted it. `userId`: who made it; null for a command. */
export const insertCompanyEvent = statement(
  { ...newCompany, userId: nullable(users.id), data: event_log.data, actor: event_log.actor },
  (p) =>
    insertSelect(
      event_log,
      {
        event_id: p.eventId,
        company_id: sql`last_insert_rowid()`,
        event_type: "identity.company.created",
        user_id: p.userId,
        user_email: sql`(select ${users.email} from ${users} where ${users.id} = ${p.userId})`,
        data: p.data,
        actor: p.actor,
        created_at: p.now,
      },
      sql`where changes() > 0 on conflict do nothing`,
    ),
);

/** The account of an owner who has none; the address is not proven. */
export const createOwner = statement({ ...newCompany, email: users.email, ...usernameParameters }, (p) =>
  insertSelect(
    users,
    { email: p.email, username: freeUsername(p), created_at: p.now, updated_at: p.now },
    sql`where ${isReported(p.eventId)} on conflict (${name(users.email)}) do nothing`,
  ),
);

/** Lets the owners in. */
export const admitOwners = statement({ ...newCompany, ownerEmails: json<string[]>(), admitsStaff: boolean }, (p) => {
  const owner = each(p.ownerEmails);
  return insertSelect(
    memberships,
    {
      company_id: event_log.company_id,
      user_id: users.id,
      state: "allowed",
      state_reason: "admin",
      state_at: p.now,
      is_owner: true,
      created_at: p.now,
    },
    sql`from ${event_log} cross join ${owner.from} cross join ${users} on ${users.email} = ${owner.value}
      where ${event_log.event_id} = ${p.eventId} and (${users.is_staff} = 0 or ${p.admitsStaff}) on conflict do nothing`,
  );
});

const actor = { actor: event_log.actor };

/** `identity.user.created` of the owners whose account is new; `source` says who made the company. */
export const insertOwnersCreated = statement(
  { ...newCompany, owners: json<{ email: string; event_id: string }[]>(), ...actor, source: text },
  (p) => {
    const owner = each(p.owners);
    const earlier = alias(event_log, "earlier");
    return insertSelect(
      event_log,
      {
        event_id: owner.of.event_id,
        company_id: event_log.company_id,
        event_type: "identity.user.created",
        user_id: users.id,
        user_email: users.email,
        data: sql`json_object('user_id', ${users.id}, 'email', ${users.email}, 'username', ${users.username},
          'source', ${p.source}, 'language', 'en', 'region', 'UTC')`,
        actor: p.actor,
        created_at: p.now,
      },
      sql`from ${event_log} cross join ${owner.from} cross join ${users} on ${users.email} = ${owner.of.email}
        where ${event_log.event_id} = ${p.eventId} and ${users.created_at} = ${p.now}
          and not exists (select 1 from ${from(earlier)} where ${earlier.user_id} = ${users.id}
            and ${earlier.event_type} = 'identity.user.created')
        on conflict do nothing`,
    );
  },
);

/** The first rows of the redirect allowlist. */
export const insertOrigins = statement({ ...newCompany, origins: json<{ id: string; origin: string }[]>() }, (p) => {
  const row = each(p.origins);
  return insertSelect(
    oauth_redirects,
    { id: row.of.id, company_id: event_log.company_id, base_url: row.of.origin, created_at: p.now },
    sql`from ${event_log} cross join ${row.from} where ${event_log.event_id} = ${p.eventId} on conflict do nothing`,
  );
});

/** The company that the event reports. */
export const findCompanyOfEvent = statement({ eventId: event_log.event_id }, (p) =>
  rows(
    ownedCompanyColumns,
    (
      columns,
    ) => sql`select ${columns} from ${event_log} cross join ${companies} on ${companies.id} = ${event_log.company_id}
      where ${event_log.event_id} = ${p.eventId}`,
  ),
);

/** Which of the addresses are staff accounts. */
export const findStaffAmong = statement({ emails: json<string[]>() }, (p) => {
  const email = each(p.emails);
  return rows(
    { email: users.email },
    (columns) => sql`select ${columns} from ${email.from} cross join ${users} on ${users.email} = ${email.value}
      where ${users.is_staff} = 1`,
  );
});

// A complete list of owners holds only members who are let in; null leaves the owners as they are.
const mayOwn = (companyId: SQLWrapper, ids: SQL<number[] | null>) => {
  const id = each(ids as SQL<number[]>);
  return sql`(${ids} is null or json_array_length(${ids}) = (select count(*) from ${id.from} cross join ${memberships}
    on ${memberships.company_id} = ${companyId} and ${memberships.user_id} = ${id.value}
    where ${memberships.state} = 'allowed'))`;
};

/**
 * Changes what is not null. Nothing when an owner is no member who is let in. A slug that is taken breaks the constraint,
 * and with it the whole batch.
 */
export const changeCompany = statement(
  {
    companyId: companies.id,
    now: companies.updated_at,
    name: nullable(companies.name),
    slug: nullable(companies.slug),
    accessMode: nullable(companies.access_mode),
    domains: nullable(companies.allowed_email_domains),
    isActive: nullable(companies.is_active),
    retentionDays: nullable(companies.data_retention_days),
    owners: nullable(json<number[]>()),
  },
  (p) => {
    const kept = (column: SQLWrapper, value: SQLWrapper) => sql`coalesce(${value}, ${column})`;
    return q
      .update(companies)
      .set({
        updated_at: p.now,
        name: kept(companies.name, p.name),
        slug: kept(companies.slug, p.slug),
        access_mode: kept(companies.access_mode, p.accessMode),
        allowed_email_domains: kept(companies.allowed_email_domains, p.domains),
        is_active: kept(companies.is_active, p.isActive),
        data_retention_days: kept(companies.data_retention_days, p.retentionDays),
      })
      .where(and(eq(companies.id, p.companyId), mayOwn(p.companyId, p.owners)));
  },
);

const owners = { companyId: memberships.company_id, owners: json<number[]>() };
const listed = (ids: SQLWrapper) => sql`(select value from json_each(${ids}))`;

/** Makes the listed members owners. */
export const addOwners = statement(owners, (p) =>
  q
    .update(memberships)
    .set({ is_owner: true })
    .where(
      and(
        eq(memberships.company_id, p.companyId),
        inArray(memberships.user_id, listed(p.owners)),
        eq(memberships.is_owner, false),
        mayOwn(p.companyId, p.owners),
      ),
    ),
);

/** Ends the ownership of everybody else. */
export const removeOtherOwners = statement(owners, (p) =>
  q
    .update(memberships)
    .set({ is_owner: false })
    .where(
      and(
        eq(memberships.company_id, p.companyId),
        eq(memberships.is_owner, true),
        notInArray(memberships.user_id, listed(p.owners)),
        mayOwn(p.companyId, p.owners),
      ),
    ),
);

/**
 * `identity.user.updated` of those who became owners or ceased to be, right behind the entry of the change.
 */
export const insertOwnersChanged = statement(
  { moved: json<{ user_id: number; event_id: string }[]>(), companyId: event_log.company_id, ...actor, now: integer },
  (p) => {
    const moved = each(p.moved);
    return insertSelect(
      event_log,
      {
        event_id: moved.of.event_id,
        company_id: p.companyId,
        event_type: "identity.user.updated",
        user_id: users.id,
        user_email: users.email,
        data: userBlock(sql`'admin'`, sql`, 'changed_fields', json_array('is_company_owner')`),
        actor: p.actor,
        created_at: p.now,
      },
      sql`from ${moved.from} cross join ${users} on ${users.id} = ${moved.of.user_id}
        left join ${preferences} on ${preferences.user_id} = ${users.id} where changes() > 0 on conflict do nothing`,
    );
  },
);

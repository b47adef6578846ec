import { type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { freeUsername, usernameParameters } from "../../../../db/identity/conditions/company-user";
import { companies, event_log, oauth_redirects, users } from "../../../../db/identity/schema";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import { columnName, insertSelect, jsonEach, selectRows, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";
import { ownedCompanyColumns } from "./owned-company.store";

// The creation event is the idempotency key of a new company. A batch that is repeated after a lost connection therefore
// inserts nothing. The other statements of the batch find the company by this event id, because the company's id is not
// known before the batch runs.

const newCompany = { eventId: event_log.event_id, now: integer };
const isReported = (eventId: SQLWrapper) =>
  sql`exists (select 1 from ${event_log} where ${event_log.event_id} = ${eventId})`;

/**
 * Inserts a company with the first free slug. Inserts nothing when no slug is free, or when an owner is a staff account and
 * `admitsStaff` is false. Only operator commands set `admitsStaff`.
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
    const slug = jsonEach(p.slugs, "slug");
    const owner = jsonEach(p.ownerEmails, "owner");
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

/**
 * Inserts the audit entry of a new company. Must run directly after insertCompany. `userId` is the creator, or null for an
 * operator command.
 */
export const insertCompanyEvent = statement(
  { ...newCompany, userId: nullable(users.id), data: event_log.data, actor: event_log.actor },
  (p) =>
    insertSelect(
      event_log,
      {
        id: p.eventId,
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

/** Inserts an account with an unproven email address for an owner who has no account yet. */
export const createOwner = statement({ ...newCompany, email: users.email, ...usernameParameters }, (p) =>
  insertSelect(
    users,
    { email: p.email, username: freeUsername(p), created_at: p.now, updated_at: p.now },
    sql`where ${isReported(p.eventId)} on conflict (${columnName(users.email)}) do nothing`,
  ),
);

/** Inserts `identity.user.created` for every owner whose account is new. `source` says how the company was created. */
export const insertOwnersCreated = statement(
  { ...newCompany, owners: json<{ email: string; event_id: string }[]>(), actor: event_log.actor, source: text },
  (p) => {
    const owner = jsonEach(p.owners);
    const earlier = alias(event_log, "earlier");
    return insertSelect(
      event_log,
      {
        id: owner.item.event_id,
        company_id: event_log.company_id,
        event_type: "identity.user.created",
        user_id: users.id,
        user_email: users.email,
        data: sql`json_object('user_id', ${users.id}, 'email', ${users.email}, 'username', ${users.username},
          'source', ${p.source}, 'language', 'en', 'region', 'UTC')`,
        actor: p.actor,
        created_at: p.now,
      },
      sql`from ${event_log} cross join ${owner.from} cross join ${users} on ${users.email} = ${owner.item.email}
        where ${event_log.event_id} = ${p.eventId} and ${users.created_at} = ${p.now}
          and not exists (select 1 from ${tableReference(earlier)} where ${earlier.user_id} = ${users.id}
            and ${earlier.event_type} = 'identity.user.created')
        on conflict do nothing`,
    );
  },
);

/** Inserts the company's first allowed redirect origins. */
export const insertOrigins = statement({ ...newCompany, origins: json<{ id: string; origin: string }[]>() }, (p) => {
  const row = jsonEach(p.origins);
  return insertSelect(
    oauth_redirects,
    { id: row.item.id, company_id: event_log.company_id, base_url: row.item.origin, created_at: p.now },
    sql`from ${event_log} cross join ${row.from} where ${event_log.event_id} = ${p.eventId} on conflict do nothing`,
  );
});

/** Selects the company whose creation the event reports. */
export const findCompanyOfEvent = statement({ eventId: event_log.event_id }, (p) =>
  selectRows(
    ownedCompanyColumns,
    (
      columns,
    ) => sql`select ${columns} from ${event_log} cross join ${companies} on ${companies.id} = ${event_log.company_id}
      where ${event_log.event_id} = ${p.eventId}`,
  ),
);

/** Selects the addresses that belong to staff accounts. */
export const findStaffAmong = statement({ emails: json<string[]>() }, (p) => {
  const email = jsonEach(p.emails);
  return selectRows(
    { email: users.email },
    (columns) => sql`select ${columns} from ${email.from} cross join ${users} on ${users.email} = ${email.value}
      where ${users.is_staff} = 1`,
  );
});

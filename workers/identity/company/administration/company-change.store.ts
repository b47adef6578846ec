import { and, eq, type SQLWrapper, sql } from "drizzle-orm";
import { userJson } from "../../../../db/identity/conditions/company-user";
import { areAllowed } from "../../../../db/identity/conditions/membership";
import { companies, event_log, preferences, users } from "../../../../db/identity/schema";
import { integer, json, nullable } from "../../../kit/db/kind";
import { insertSelect, jsonEach, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

/**
 * Updates the columns whose parameter is not null. Updates nothing when one of `owners` is not an allowed member. A slug that
 * is taken violates the unique constraint and rolls back the batch.
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
    const valueOrCurrent = (column: SQLWrapper, value: SQLWrapper) => sql`coalesce(${value}, ${column})`;
    return queryBuilder
      .update(companies)
      .set({
        updated_at: p.now,
        name: valueOrCurrent(companies.name, p.name),
        slug: valueOrCurrent(companies.slug, p.slug),
        access_mode: valueOrCurrent(companies.access_mode, p.accessMode),
        allowed_email_domains: valueOrCurrent(companies.allowed_email_domains, p.domains),
        is_active: valueOrCurrent(companies.is_active, p.isActive),
        data_retention_days: valueOrCurrent(companies.data_retention_days, p.retentionDays),
      })
      .where(and(eq(companies.id, p.companyId), areAllowed(p.companyId, p.owners)));
  },
);

/**
 * Inserts `identity.user.updated` for users who gained or lost ownership. Must run directly after the insert of the change's
 * audit entry.
 */
export const insertOwnersChanged = statement(
  {
    moved: json<{ user_id: number; event_id: string }[]>(),
    companyId: event_log.company_id,
    actor: event_log.actor,
    now: integer,
  },
  (p) => {
    const moved = jsonEach(p.moved);
    return insertSelect(
      event_log,
      {
        id: moved.item.event_id,
        company_id: p.companyId,
        event_type: "identity.user.updated",
        user_id: users.id,
        user_email: users.email,
        data: userJson(sql`'admin'`, sql`, 'changed_fields', json_array('is_company_owner')`),
        actor: p.actor,
        created_at: p.now,
      },
      sql`from ${moved.from} cross join ${users} on ${users.id} = ${moved.item.user_id}
        left join ${preferences} on ${preferences.user_id} = ${users.id} where changes() > 0 on conflict do nothing`,
    );
  },
);

import { and, count, eq, ne, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { oauth_redirects } from "../../../../db/identity/schema";
import { integer, nullable } from "../../../kit/db/kind";
import {
  allColumns,
  assignments,
  columnName,
  insertSelect,
  queryBuilder,
  selectRows,
  tableReference,
} from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

export type OauthRedirectRow = typeof oauth_redirects.$inferSelect;

const { company_id, base_url, id, is_active, created_at } = oauth_redirects;

/** Selects the number of allowlist rows of a company, at most 200. */
export const countRedirects = statement({ companyId: company_id }, (p) =>
  queryBuilder.select({ total: count() }).from(oauth_redirects).where(eq(company_id, p.companyId)),
);

const position = { time: created_at, after: id };

/** Selects the allowlist rows after the given position, oldest first. */
export const listRedirects = statement({ companyId: company_id, ...position, limit: integer, offset: integer }, (p) =>
  selectRows(
    allColumns(oauth_redirects),
    (columns) => sql`select ${columns} from ${oauth_redirects} indexed by oauth_redirects_oldest
      where ${company_id} = ${p.companyId} and (${created_at}, ${id}) > (${p.time}, ${p.after})
      order by ${created_at}, ${id} limit ${p.limit} offset ${p.offset}`,
  ),
);

/** Selects a row of the company by its id. */
export const findRedirect = statement({ companyId: company_id, id }, (p) =>
  queryBuilder
    .select(allColumns(oauth_redirects))
    .from(oauth_redirects)
    .where(and(eq(id, p.id), eq(company_id, p.companyId))),
);

/** Selects the row of an origin, active or not. */
export const findRedirectByOrigin = statement({ companyId: company_id, origin: base_url }, (p) =>
  queryBuilder
    .select(allColumns(oauth_redirects))
    .from(oauth_redirects)
    .where(and(eq(company_id, p.companyId), eq(base_url, p.origin))),
);

/** Selects a row if the origin is an active entry of the allowlist. */
export const findActiveOrigin = statement({ companyId: company_id, origin: base_url }, (p) =>
  queryBuilder
    .select({ base_url })
    .from(oauth_redirects)
    .where(and(eq(company_id, p.companyId), eq(base_url, p.origin), eq(is_active, true))),
);

/** Selects the oldest active origin of the allowlist. */
export const findOldestOrigin = statement({ companyId: company_id }, (p) =>
  selectRows(
    { base_url },
    (columns) => sql`select ${columns} from ${oauth_redirects} indexed by oauth_redirects_oldest
      where ${company_id} = ${p.companyId} and ${is_active} = 1 order by ${created_at}, ${id} limit 1`,
  ),
);

/** Selects the active origins of the allowlist, the oldest first. */
export const listActiveOrigins = statement({ companyId: company_id, limit: integer }, (p) =>
  selectRows(
    { base_url },
    (columns) => sql`select ${columns} from ${oauth_redirects} indexed by oauth_redirects_oldest
      where ${company_id} = ${p.companyId} and ${is_active} = 1 order by ${created_at}, ${id} limit ${p.limit}`,
  ),
);

/** Inserts an origin. Inserts nothing when the origin is already listed or the list is full. */
export const insertRedirect = statement(
  {
    companyId: company_id,
    id,
    origin: base_url,
    label: oauth_redirects.label,
    source: oauth_redirects.source,
    isActive: is_active,
    now: created_at,
    max: integer,
  },
  (p) =>
    insertSelect(
      oauth_redirects,
      {
        id: p.id,
        company_id: p.companyId,
        base_url: p.origin,
        label: p.label,
        source: p.source,
        is_active: p.isActive,
        created_at: p.now,
      },
      sql`where (select count(*) from ${oauth_redirects} where ${company_id} = ${p.companyId}) < ${p.max}
        on conflict do nothing`,
    ),
);

const other = alias(oauth_redirects, "other");

/** Updates the columns whose parameter is not null and returns the row. Updates nothing when another row has the new origin. */
export const changeRedirect = statement(
  {
    companyId: company_id,
    id,
    origin: nullable(base_url),
    label: nullable(oauth_redirects.label),
    isActive: nullable(is_active),
  },
  (p) =>
    selectRows(
      allColumns(oauth_redirects),
      (columns) => sql`update ${oauth_redirects} set ${assignments(oauth_redirects, {
        base_url: sql`coalesce(${p.origin}, ${columnName(base_url)})`,
        label: sql`coalesce(${p.label}, ${columnName(oauth_redirects.label)})`,
        is_active: sql`coalesce(${p.isActive}, ${columnName(is_active)})`,
      })}
        where ${id} = ${p.id} and ${company_id} = ${p.companyId} and not exists (select 1 from ${tableReference(other)}
          where ${other.company_id} = ${p.companyId} and ${other.base_url} = ${p.origin} and ${other.id} <> ${p.id})
        returning ${columns}`,
    ),
);

/** Activates an existing row. Sets the label only on rows that hosting added. */
export const activateRedirect = statement(
  { companyId: company_id, origin: base_url, label: nullable(oauth_redirects.label) },
  (p) => {
    const { label, source } = oauth_redirects;
    const newLabel = sql`coalesce(${p.label}, ${label})`;
    return queryBuilder
      .update(oauth_redirects)
      .set({ is_active: true, label: sql`case ${source} when 'hosting' then ${newLabel} else ${label} end` })
      .where(
        and(
          eq(company_id, p.companyId),
          eq(base_url, p.origin),
          or(eq(is_active, false), and(eq(source, "hosting"), ne(label, newLabel))),
        ),
      );
  },
);

/** Deletes a row. */
export const deleteRedirect = statement({ companyId: company_id, id }, (p) =>
  queryBuilder.delete(oauth_redirects).where(and(eq(id, p.id), eq(company_id, p.companyId))),
);

/** Deletes the row of an origin if hosting added it. */
export const deleteHostingRedirect = statement({ companyId: company_id, origin: base_url }, (p) =>
  queryBuilder
    .delete(oauth_redirects)
    .where(and(eq(company_id, p.companyId), eq(base_url, p.origin), eq(oauth_redirects.source, "hosting"))),
);

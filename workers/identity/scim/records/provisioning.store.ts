import { desc, eq, type SQL, sql } from "drizzle-orm";
import { scim_companies, scim_events, scim_users } from "../../../../db/identity/schema";
import type { ProvisioningError } from "../../../../db/identity/scim";
import { boundedScan, scanParameters } from "../../../kit/db/bounded-scan";
import { boolean, integer, json, nullable, text } from "../../../kit/db/kind";
import { columnName, insertSelect, queryBuilder, selectRows } from "../../../kit/db/query";
import { type RowOfStatement, statement } from "../../../kit/db/statement";

const { company_id, id, operation, resource_type, resource_id, ok, code, detail, created_at } = scim_events;
const entry = { companyId: company_id, id, operation, type: resource_type, now: created_at };

/** Inserts the entry of a stored change; with `ifChanged`, only if the statement before it changed a row. The user is found by user name, because a new one has no id yet. */
export const insertChange = statement(
  { ...entry, resourceId: nullable(text), nameKey: nullable(scim_users.user_name_key), ifChanged: boolean },
  (p) => {
    const user = sql`(select cast(${scim_users.user_id} as text) from ${scim_users}
      where ${scim_users.company_id} = ${p.companyId} and ${scim_users.user_name_key} = ${p.nameKey})` as SQL<string>;
    return insertSelect(
      scim_events,
      {
        company_id: p.companyId,
        id: p.id,
        operation: p.operation,
        resource_type: p.type,
        resource_id: sql`coalesce(${p.resourceId}, ${user})`,
        ok: true,
        detail: "",
        created_at: p.now,
      },
      sql`where (not ${p.ifChanged} or changes() > 0) on conflict do nothing`,
    );
  },
);

/** Inserts the entry of a rejected change. */
export const insertRejection = statement({ ...entry, resourceId: nullable(text), code: nullable(text), detail }, (p) =>
  queryBuilder
    .insert(scim_events)
    .values({
      company_id: p.companyId,
      id: p.id,
      operation: p.operation,
      resource_type: p.type,
      resource_id: p.resourceId,
      ok: sql`0`,
      code: p.code,
      detail: p.detail,
      created_at: p.now,
    })
    .onConflictDoNothing(),
);

/** Stores the last rejected change of the company. */
export const storeLastError = statement(
  { companyId: scim_companies.company_id, error: json<ProvisioningError>() },
  (p) =>
    insertSelect(
      scim_companies,
      { company_id: p.companyId, last_error: p.error },
      sql`where true on conflict (${columnName(scim_companies.company_id)}) do update set ${columnName(scim_companies.last_error)} = excluded.last_error`,
    ),
);

const shown = { id, operation, resource_type, resource_id, ok, code, detail, created_at };

/** Selects the last changes of a company, newest first. */
export const listLastChanges = statement({ companyId: company_id, limit: integer }, (p) =>
  queryBuilder.select(shown).from(scim_events).where(eq(company_id, p.companyId)).orderBy(desc(id)).limit(p.limit),
);

export type ProvisioningRow = RowOfStatement<typeof listLastChanges>;

/** Selects a page of the changes of a company whose ids are between two bounds, newest first. */
export const listChanges = statement(
  { company: company_id, above: text, below: text, ok: nullable(boolean), ...scanParameters },
  (p) => {
    const page = boundedScan(
      {
        key: id,
        matches: sql`(${p.ok} is null or ${ok} = ${p.ok})`,
        range: sql`from ${scim_events} where ${company_id} = ${p.company} and ${id} > ${p.above} and ${id} < ${p.below}
          order by ${id} desc`,
      },
      p,
    );
    return selectRows(
      { ...shown, ...page.end },
      (columns) => sql`select ${columns} from ${page.from} cross join ${scim_events}
        on ${company_id} = ${p.company} and ${id} = ${page.key} order by ${id} desc`,
    );
  },
);

/** Selects the last rejected change of the company. */
export const findLastError = statement({ companyId: scim_companies.company_id }, (p) =>
  queryBuilder
    .select({ last_error: scim_companies.last_error })
    .from(scim_companies)
    .where(eq(scim_companies.company_id, p.companyId)),
);

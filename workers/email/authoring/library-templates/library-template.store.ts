import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { library_templates } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, insertSelect, isInList, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const l = library_templates;
const columns = allColumns(l);
const { id: _id, ...insertableColumns } = columns;

const metadata = {
  id: l.id,
  key: l.key,
  set_key: l.set_key,
  name: l.name,
  company_id: l.company_id,
  updated_at: l.updated_at,
  // SQLite takes octet_length from the record header, so it does not read the overflow pages of the design.
  bytes: sql`octet_length(${l.html})`.mapWith(integer).as("bytes"),
};
const summaryColumns = {
  id: l.id,
  key: l.key,
  set_key: l.set_key,
  name: l.name,
  company_id: l.company_id,
  built_in: l.built_in,
  subject: l.subject,
  preheader: l.preheader,
  updated_at: l.updated_at,
};

const isVisibleTo = (companyId: SQL<number>) => or(isNull(l.company_id), eq(l.company_id, companyId));

/** Statement: all library templates that a company can use, unordered, with the size of their HTML. */
export const listMetadata = statement({ companyId: integer }, (p) =>
  selectRows(metadata, (selected) => sql`select ${selected} from ${l} where ${isVisibleTo(p.companyId)}`),
);

const ids = json<readonly number[]>();

/** Statement: library templates by id, without HTML. */
export const listSummaries = statement({ ids }, (p) =>
  queryBuilder.select(summaryColumns).from(l).where(isInList(l.id, p.ids)),
);

/** Statement: library templates by id, with HTML. */
export const listComposed = statement({ ids }, (p) =>
  queryBuilder
    .select({ ...summaryColumns, html: l.html })
    .from(l)
    .where(isInList(l.id, p.ids)),
);

/** Statement: a library template of any company. */
export const findTemplate = statement({ id: l.id }, (p) => queryBuilder.select(columns).from(l).where(eq(l.id, p.id)));

/** Statement: a library template that is built in or belongs to the company. */
export const findVisible = statement({ id: l.id, companyId: integer }, (p) =>
  queryBuilder
    .select(columns)
    .from(l)
    .where(and(eq(l.id, p.id), isVisibleTo(p.companyId))),
);

/** Statement: the library template with this key. */
export const findByKey = statement({ key: l.key }, (p) => queryBuilder.select(columns).from(l).where(eq(l.key, p.key)));

/** Statement: insert a template if the company has fewer than `max` templates. A repeat inserts nothing. */
export const insertTemplate = statement({ ...insertableColumns, max: integer }, ({ max, ...p }) =>
  insertSelect(
    l,
    p,
    sql`where (select count(*) from ${l} where ${l.company_id} = ${p.company_id}) < ${max} on conflict (key) do nothing`,
  ),
);

const { name, subject, preheader, document, html, text, updated_at } = l;
const companyDesign = { id: l.id, companyId: integer };

/**
 * Statement: update a company template if its `updated_at` is still `expected`. `updated_at` must increase with every change,
 * because the ETag of the list depends on it.
 */
export const updateTemplate = statement(
  { ...companyDesign, name, subject, preheader, document, html, text, expected: updated_at, now: integer },
  (p) =>
    queryBuilder
      .update(l)
      .set({
        name: p.name,
        subject: p.subject,
        preheader: p.preheader,
        document: p.document,
        html: p.html,
        text: p.text,
        updated_at: sql`max(${p.now}, ${p.expected} + 1)`,
      })
      .where(and(eq(l.id, p.id), eq(l.company_id, p.companyId), eq(updated_at, p.expected)))
      .returning(columns),
);

/** Statement: delete a company template. */
export const deleteTemplate = statement(companyDesign, (p) =>
  queryBuilder.delete(l).where(and(eq(l.id, p.id), eq(l.company_id, p.companyId))),
);

import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { library_templates } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, insertSelect, isInList, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const columns = allColumns(library_templates);
const { id: _id, ...insertableColumns } = columns;

const metadata = {
  id: library_templates.id,
  key: library_templates.key,
  set_key: library_templates.set_key,
  name: library_templates.name,
  company_id: library_templates.company_id,
  updated_at: library_templates.updated_at,
  // SQLite takes octet_length from the record header, so it does not read the overflow pages of the design.
  bytes: sql`octet_length(${library_templates.html})`.mapWith(integer).as("bytes"),
};
const summaryColumns = {
  id: library_templates.id,
  key: library_templates.key,
  set_key: library_templates.set_key,
  name: library_templates.name,
  company_id: library_templates.company_id,
  built_in: library_templates.built_in,
  subject: library_templates.subject,
  preheader: library_templates.preheader,
  updated_at: library_templates.updated_at,
};

const isVisibleTo = (companyId: SQL<number>) =>
  or(isNull(library_templates.company_id), eq(library_templates.company_id, companyId));

/** Statement: all library templates that a company can use, unordered, with the size of their HTML. */
export const listMetadata = statement({ companyId: integer }, (p) =>
  selectRows(
    metadata,
    (selected) => sql`select ${selected} from ${library_templates} where ${isVisibleTo(p.companyId)}`,
  ),
);

const ids = json<readonly number[]>();

/** Statement: library templates by id, without HTML. */
export const listSummaries = statement({ ids }, (p) =>
  queryBuilder.select(summaryColumns).from(library_templates).where(isInList(library_templates.id, p.ids)),
);

/** Statement: library templates by id, with HTML. */
export const listComposed = statement({ ids }, (p) =>
  queryBuilder
    .select({ ...summaryColumns, html: library_templates.html })
    .from(library_templates)
    .where(isInList(library_templates.id, p.ids)),
);

/** Statement: a library template of any company. */
export const findTemplate = statement({ id: library_templates.id }, (p) =>
  queryBuilder.select(columns).from(library_templates).where(eq(library_templates.id, p.id)),
);

/** Statement: a library template that is built in or belongs to the company. */
export const findVisible = statement({ id: library_templates.id, companyId: integer }, (p) =>
  queryBuilder
    .select(columns)
    .from(library_templates)
    .where(and(eq(library_templates.id, p.id), isVisibleTo(p.companyId))),
);

/** Statement: the library template with this key. */
export const findByKey = statement({ key: library_templates.key }, (p) =>
  queryBuilder.select(columns).from(library_templates).where(eq(library_templates.key, p.key)),
);

/** Statement: insert a template if the company has fewer than `max` templates. A repeat inserts nothing. */
export const insertTemplate = statement({ ...insertableColumns, max: integer }, ({ max, ...p }) =>
  insertSelect(
    library_templates,
    p,
    sql`where (select count(*) from ${library_templates} where ${library_templates.company_id} = ${p.company_id}) < ${max} on conflict (key) do nothing`,
  ),
);

const { name, subject, preheader, document, html, text, updated_at } = library_templates;
const companyDesign = { id: library_templates.id, companyId: integer };

/**
 * Statement: update a company template if its `updated_at` is still `expected`. `updated_at` must increase with every change,
 * because the ETag of the list depends on it.
 */
export const updateTemplate = statement(
  { ...companyDesign, name, subject, preheader, document, html, text, expected: updated_at, now: integer },
  (p) =>
    queryBuilder
      .update(library_templates)
      .set({
        name: p.name,
        subject: p.subject,
        preheader: p.preheader,
        document: p.document,
        html: p.html,
        text: p.text,
        updated_at: sql`max(${p.now}, ${p.expected} + 1)`,
      })
      .where(
        and(eq(library_templates.id, p.id), eq(library_templates.company_id, p.companyId), eq(updated_at, p.expected)),
      )
      .returning(columns),
);

/** Statement: delete a company template. */
export const deleteTemplate = statement(companyDesign, (p) =>
  queryBuilder
    .delete(library_templates)
    .where(and(eq(library_templates.id, p.id), eq(library_templates.company_id, p.companyId))),
);

import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import {
  event_types,
  library_templates,
  newsletters,
  rules,
  template_versions,
  templates,
} from "../../../../db/email/schema";
import { integer, json, nullable } from "../../../kit/db/kind";
import { allColumns, insertSelect, isInList, queryBuilder } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const { id, key, set_key, company_id, document } = library_templates;
const design = { id, key, set_key, company_id, document };

/** Statement: a design that is built in or belongs to the company. */
export const findDesign = statement({ id, companyId: integer }, (p) =>
  queryBuilder
    .select(design)
    .from(library_templates)
    .where(and(eq(id, p.id), or(isNull(company_id), eq(company_id, p.companyId)))),
);

/** Statement: built-in designs by key. */
export const findDesignsByKey = statement({ keys: json<readonly string[]>() }, (p) =>
  queryBuilder
    .select(design)
    .from(library_templates)
    .where(and(isInList(key, p.keys), isNull(company_id))),
);

const { id: _id, active_version: _active, hidden_at: _hidden, ...insertableColumns } = allColumns(templates);

const insertWhere = (p: { [K in keyof typeof insertableColumns]: SQL }, condition: SQL) =>
  insertSelect(templates, { ...p, active_version: 1 }, sql`where ${condition} on conflict (template_key) do nothing`);

/** Statement: insert a custom template if the company has fewer than `max_rules` rules. */
export const insertCustomTemplate = statement({ ...insertableColumns, max_rules: integer }, ({ max_rules, ...p }) =>
  insertWhere(p, sql`(select count(*) from ${rules} where ${rules.company_id} = ${p.company_id}) < ${max_rules}`),
);

/** Statement: insert a custom template if its own event type has this revision. */
export const insertCustomTemplateOfType = statement(
  { ...insertableColumns, revision: event_types.revision },
  ({ revision, ...p }) =>
    insertWhere(
      p,
      sql`exists (select 1 from ${event_types} where ${event_types.company_id} = ${p.company_id}
        and ${event_types.event_type} = ${p.event_type} and ${event_types.revision} = ${revision})`,
    ),
);

/** Statement: insert the custom template of a newsletter if the company has fewer than `max_newsletters` newsletters. */
export const insertCustomTemplateOfNewsletter = statement(
  { ...insertableColumns, max_newsletters: integer },
  ({ max_newsletters, ...p }) =>
    insertWhere(
      p,
      sql`(select count(*) from ${newsletters} where ${newsletters.company_id} = ${p.company_id}) < ${max_newsletters}`,
    ),
);

/** Statement: insert the custom template of a built-in rule if the company does not have the rule yet. */
export const insertBuiltInCustomTemplate = statement(insertableColumns, (p) =>
  insertWhere(
    p,
    sql`not exists (select 1 from ${rules} where ${rules.built_in} = 1
      and ${rules.company_id} = ${p.company_id} and ${rules.event_type} = ${p.event_type})`,
  ),
);

/** Statement: insert a custom template that no rule uses. A repeat inserts nothing. */
export const insertStandaloneTemplate = statement(insertableColumns, (p) => insertWhere(p, sql`true`));

/** Statement: insert the published version 1 of the custom template with this key, if the template exists. */
export const insertFirstVersion = statement(
  {
    id: template_versions.id,
    subject: template_versions.subject,
    preheader: template_versions.preheader,
    document: template_versions.document,
    html: template_versions.html,
    text: template_versions.text,
    renderer_version: template_versions.renderer_version,
    checksum: template_versions.checksum,
    uses: template_versions.uses,
    key: templates.template_key,
    createdBy: nullable(integer),
    now: integer,
  },
  ({ key: templateKey, createdBy, now, ...composed }) =>
    insertSelect(
      template_versions,
      {
        ...composed,
        template_id: templates.id,
        number: 1,
        state: "published",
        created_by: createdBy,
        published_at: now,
        created_at: now,
      },
      sql`from ${templates} where ${templates.template_key} = ${templateKey} on conflict do nothing`,
    ),
);

import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RuleRow } from "../../../../db/email/rows";
import { rules, templates } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, nullable } from "../../../kit/db/kind";
import { allColumns, filterUnlessNull, insertSelect, queryBuilder } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";

const columns = allColumns(rules);
const { id, company_id, service, event_type, created_at, template_id, built_in } = rules;

/** Statement: the rule with this id. */
export const findRule = statement({ id }, (p) => queryBuilder.select(columns).from(rules).where(eq(id, p.id)));

const position = { afterType: event_type, afterTime: created_at, afterId: id };

/**
 * Statement: the rules of a company after the given position, ordered by event type and creation time. If `service` is null,
 * selects the rules of all services.
 */
export const listRules = statement(
  { companyId: company_id, service: nullable(service), ...position, limit: integer },
  (p) =>
    queryBuilder
      .select(columns)
      .from(rules)
      .where(
        and(
          eq(company_id, p.companyId),
          filterUnlessNull(p.service, eq(service, p.service)),
          sql`(${event_type}, ${created_at}, ${id}) > (${p.afterType}, ${p.afterTime}, ${p.afterId})`,
        ),
      )
      .orderBy(event_type, created_at, id)
      .limit(p.limit),
);

const { id: _id, template_id: _template, created_at: _created, updated_at: _updated, ...inputColumns } = columns;

/** Statement: stores a rule for the custom template with `key`. Stores nothing if the template is missing or has a rule. */
const insertRule = statement({ ...inputColumns, key: templates.template_key, now: integer }, ({ key, now, ...p }) =>
  insertSelect(
    rules,
    { ...p, template_id: templates.id, created_at: now, updated_at: now },
    sql`from ${templates} where ${templates.template_key} = ${key} and not exists (select 1 from ${rules} where ${template_id} = ${templates.id})
      on conflict do nothing`,
  ),
);

/** Statement: the rule whose custom template has this key. */
export const findRuleByTemplateKey = statement({ key: templates.template_key }, (p) =>
  queryBuilder
    .select(columns)
    .from(rules)
    .innerJoin(templates, eq(templates.id, template_id))
    .where(eq(templates.template_key, p.key)),
);

/** A rule to create. `key` is the key of its custom template. */
export type NewRule = Parameters<typeof insertRule>[0];

/** Returns the statement that stores a rule for its stored custom template, and the audit entry. */
export const insertRuleWithEntry = (rule: NewRule, entry: Bound): Bound => followedBy(insertRule(rule), entry);

/**
 * Stores a custom template, its rule and the audit entry. Returns the rule, or null when the template statements stored
 * nothing. A repeated call stores nothing.
 */
export async function storeRule(
  db: Db,
  templateStatements: Bound[],
  rule: NewRule,
  entry: Bound,
): Promise<RuleRow | null> {
  const { row } = await db.batch({
    templateStatements,
    created: insertRuleWithEntry(rule, entry),
    row: findRuleByTemplateKey({ key: rule.key }),
  });
  return row.first;
}

/** Returns the statement that creates a built-in rule. The statements of its custom template must run before it. */
export const insertBuiltInRule = (rule: NewRule): Bound => insertRule(rule);

/** The columns that a change can set. Null keeps the stored value. */
const changeParameters = {
  enabled: nullable(rules.enabled),
  recipient_mode: nullable(rules.recipient_mode),
  static_recipients_enc: nullable(rules.static_recipients_enc),
  language: nullable(rules.language),
};

const coalesceWith = (column: (typeof columns)[keyof typeof changeParameters], value: SQL) =>
  sql`coalesce(${value}, ${column})`;

const update = statement({ id, companyId: company_id, ...changeParameters, now: integer }, (p) =>
  queryBuilder
    .update(rules)
    .set({
      enabled: coalesceWith(rules.enabled, p.enabled),
      recipient_mode: coalesceWith(rules.recipient_mode, p.recipient_mode),
      static_recipients_enc: coalesceWith(rules.static_recipients_enc, p.static_recipients_enc),
      language: coalesceWith(rules.language, p.language),
      updated_at: p.now,
    })
    .where(and(eq(id, p.id), eq(company_id, p.companyId)))
    .returning(columns),
);

/** The changed columns of a rule. */
export type RuleChange = Partial<Pick<RuleRow, keyof typeof changeParameters>>;

const UNCHANGED = { enabled: null, recipient_mode: null, static_recipients_enc: null, language: null };

/** Changes a rule of a company. Returns the rule, or null when it does not exist. */
export function changeRule(
  db: Db,
  { id, company_id: companyId }: Pick<RuleRow, "id" | "company_id">,
  change: RuleChange,
  { entry, now }: { entry: Bound; now: number },
): Promise<RuleRow | null> {
  return db.first(followedBy(update({ ...UNCHANGED, ...change, id, companyId, now }), entry));
}

const remove = statement({ id, companyId: company_id }, (p) =>
  queryBuilder.delete(rules).where(and(eq(id, p.id), eq(company_id, p.companyId), eq(built_in, false))),
);

const hideTemplate = statement({ id: templates.id, now: integer }, (p) =>
  queryBuilder
    .update(templates)
    .set({ hidden_at: p.now })
    .where(
      and(
        eq(templates.id, p.id),
        sql`${templates.hidden_at} is null`,
        sql`not exists (select 1 from ${rules} where ${template_id} = ${p.id})`,
      ),
    ),
);

/**
 * Deletes a rule that is not built in, and hides its custom template when no other rule uses it. Returns false when no rule was
 * deleted.
 */
export async function deleteRule(
  db: Db,
  { id, company_id: companyId, template_id }: Pick<RuleRow, "id" | "company_id" | "template_id">,
  { entry, now }: { entry: Bound; now: number },
): Promise<boolean> {
  const { removed } = await db.batch({
    removed: followedBy(remove({ id, companyId }), entry),
    hidden: hideTemplate({ id: template_id, now }),
  });
  return removed.changes > 0;
}

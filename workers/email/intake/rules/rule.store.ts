import { and, eq, type SQL, sql } from "drizzle-orm";
import type { RuleRow } from "../../../../db/email/rows";
import { rules, templates } from "../../../../db/email/schema";
import type { Db } from "../../../kit/db/db";
import { integer, nullable } from "../../../kit/db/kind";
import { allColumns, filterUnlessNull, insertSelect, queryBuilder } from "../../../kit/db/query";
import { type Bound, followedBy, statement } from "../../../kit/db/statement";

const columns = allColumns(rules);
const { id, company_id, service, event_type, created_at, template_id, built_in } = rules;
const t = templates;

/** The rule of an id. */
export const findRule = statement({ id }, (p) => queryBuilder.select(columns).from(rules).where(eq(id, p.id)));

const position = { afterType: event_type, afterTime: created_at, afterId: id };

/** Rules of a company, of one service or all, by event type and time, behind that place. */
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

const { id: _id, template_id: _template, created_at: _created, updated_at: _updated, ...given } = columns;

/** Stores the rule of a copy, which is found by its key; nothing where there is no copy, or where its rule is there already. */
const insertRule = statement({ ...given, key: t.template_key, now: integer }, ({ key, now, ...p }) =>
  insertSelect(
    rules,
    { ...p, template_id: t.id, created_at: now, updated_at: now },
    sql`from ${t} where ${t.template_key} = ${key} and not exists (select 1 from ${rules} where ${template_id} = ${t.id})
      on conflict do nothing`,
  ),
);

const findRuleByTemplateKey = statement({ key: t.template_key }, (p) =>
  queryBuilder.select(columns).from(rules).innerJoin(t, eq(t.id, template_id)).where(eq(t.template_key, p.key)),
);

/** A rule that is to be made; `key` is that of its copy. */
export type NewRule = Parameters<typeof insertRule>[0];

/**
 * Stores a copy and its rule with the audit entry, and answers the rule; null where the copy was not to be stored. A repeat
 * adds nothing.
 */
export async function storeRule(
  db: Db,
  templateStatements: Bound[],
  rule: NewRule,
  entry: Bound,
): Promise<RuleRow | null> {
  const { row } = await db.batch({
    templateStatements,
    made: followedBy(insertRule(rule), entry),
    row: findRuleByTemplateKey({ key: rule.key }),
  });
  return row.first;
}

/** The statement that makes a built-in rule, behind those of its copy. */
export const insertBuiltInRule = (rule: NewRule): Bound => insertRule(rule);

/** What a change holds; null keeps what is there. */
const changed = {
  enabled: nullable(rules.enabled),
  recipient_mode: nullable(rules.recipient_mode),
  static_recipients_enc: nullable(rules.static_recipients_enc),
  language: nullable(rules.language),
};

const coalesceWith = (column: (typeof columns)[keyof typeof changed], value: SQL) => sql`coalesce(${value}, ${column})`;

const update = statement({ id, companyId: company_id, ...changed, now: integer }, (p) =>
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

/** What of a rule becomes another. */
export type RuleChange = Partial<Pick<RuleRow, keyof typeof changed>>;

const UNCHANGED = { enabled: null, recipient_mode: null, static_recipients_enc: null, language: null };

/** Changes a rule of a company and answers it; null when it is gone. */
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

const hideTemplate = statement({ id: t.id, now: integer }, (p) =>
  queryBuilder
    .update(t)
    .set({ hidden_at: p.now })
    .where(
      and(
        eq(t.id, p.id),
        sql`${t.hidden_at} is null`,
        sql`not exists (select 1 from ${rules} where ${template_id} = ${p.id})`,
      ),
    ),
);

/** Deletes a rule that is not built in, and hides its copy when no other rule uses it; false when it was gone. */
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

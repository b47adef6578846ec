import { and, eq, type SQL, sql } from "drizzle-orm";
import { isFailing } from "../../../../db/kit/failing-rules";
import { type RuleRow, action_rules as rules } from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { boolean, integer, nullable } from "../../db/kind";
import { allColumns, filterUnlessNull, insertSelect, queryBuilder, selectRows } from "../../db/query";
import { type Bound, followedBy, statement } from "../../db/statement";
import { maxCount } from "../../http/paging/scan";

/** Maximum number of subscriptions per company. */
const MAX_RULES = 100;

/** Statement: a subscription of one company or, when null, of any company. */
export const findRule = statement({ id: nullable(rules.id), company: nullable(rules.company_id) }, (p) =>
  queryBuilder
    .select(allColumns(rules))
    .from(rules)
    .where(and(eq(rules.id, p.id), filterUnlessNull(p.company, eq(rules.company_id, p.company)))),
);

/**
 * Statement: returns a row when the company has an enabled subscription of an event type. Without one, an event causes
 * no webhook.
 */
export const findEnabledRule = statement({ company: rules.company_id, type: rules.event_type }, (p) =>
  queryBuilder
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.company_id, p.company), eq(rules.event_type, p.type), eq(rules.enabled, true)))
    .limit(1),
);

const filters = {
  company: rules.company_id,
  event_type: nullable(rules.event_type),
  enabled: nullable(rules.enabled),
  is_failing: nullable(boolean),
  now: integer,
};

// A company has at most 100 subscriptions, so every list is short.
const isMatch = (p: { [K in keyof typeof filters]: SQL }) =>
  and(
    eq(rules.company_id, p.company),
    filterUnlessNull(p.event_type, eq(rules.event_type, p.event_type)),
    filterUnlessNull(p.enabled, eq(rules.enabled, p.enabled)),
    filterUnlessNull(p.is_failing, sql`(${isFailing(p.now)}) = ${p.is_failing}`),
  );

const position = { after_type: rules.event_type, after_name: rules.name, after_id: rules.id };

const listRules = statement({ ...filters, ...position, limit: integer, offset: integer }, (p) =>
  queryBuilder
    .select(allColumns(rules))
    .from(rules)
    .where(
      and(
        isMatch(p),
        sql`(${rules.event_type}, ${rules.name}, ${rules.id}) > (${p.after_type}, ${p.after_name}, ${p.after_id})`,
      ),
    )
    .orderBy(rules.event_type, rules.name, rules.id)
    .limit(p.limit)
    .offset(p.offset),
);

const countRules = statement(filters, (p) =>
  selectRows(
    { count: sql`count(*)`.mapWith(integer) },
    (columns) => sql`select ${columns} from (select 1 from ${rules} where ${isMatch(p)} limit ${maxCount})`,
  ),
);

/** The position of a subscription in a list. */
export type RulePosition = [eventType: string, name: string, id: number];

/**
 * Returns the statements that read a page of subscriptions, sorted by type, name and id, and their total. The page has
 * one row more than requested. The total is omitted after a cursor.
 */
export function selectRulePage(
  company: number,
  {
    event_type = null,
    enabled = null,
    is_failing = null,
  }: {
    event_type?: string | null | undefined;
    enabled?: boolean | null | undefined;
    is_failing?: boolean | null | undefined;
  },
  page: { after: RulePosition | null; limit: number; offset: number },
  now: number,
) {
  const values = { company, event_type, enabled, is_failing, now };
  const [after_type, after_name, after_id] = page.after ?? ["", "", 0];
  return {
    rows: listRules({ ...values, after_type, after_name, after_id, limit: page.limit + 1, offset: page.offset }),
    count: page.after ? null : countRules(values),
  };
}

const key = { company_id: rules.company_id, event_type: rules.event_type, secret_enc: rules.secret_enc };

// The sealed secret is unique to a call, so a repeated batch finds its own row.
const isInserted = (p: { [K in keyof typeof key]: SQL }) =>
  and(eq(rules.company_id, p.company_id), eq(rules.event_type, p.event_type), eq(rules.secret_enc, p.secret_enc));

const insert = statement(
  {
    ...key,
    name: rules.name,
    description: rules.description,
    enabled: rules.enabled,
    url: rules.url,
    host: rules.host,
    secret_hint: rules.secret_hint,
    authorization_enc: rules.authorization_enc,
    allow_private_urls: rules.allow_private_urls,
    now: integer,
  },
  ({ now, ...p }) =>
    insertSelect(
      rules,
      { ...p, created_at: now, updated_at: now },
      sql`where (select count(*) from ${rules} where ${rules.company_id} = ${p.company_id}) < ${MAX_RULES}
        and not exists (select 1 from ${rules} where ${isInserted(p)})`,
    ),
);

const findInserted = statement(key, (p) => queryBuilder.select(allColumns(rules)).from(rules).where(isInserted(p)));

/** The columns of a new subscription; secrets are sealed. */
type NewRule = Pick<
  RuleRow,
  | "company_id"
  | "name"
  | "description"
  | "event_type"
  | "enabled"
  | "url"
  | "host"
  | "secret_enc"
  | "secret_hint"
  | "authorization_enc"
  | "allow_private_urls"
>;

/**
 * Inserts a subscription and its audit entry. Returns null when the company has reached the maximum number of
 * subscriptions, which the INSERT itself checks.
 */
export async function insertRule(db: Db, rule: NewRule, entries: Bound[], now: number): Promise<RuleRow | null> {
  const { company_id, event_type, secret_enc } = rule;
  const { row } = await db.batch({
    added: followedBy(insert({ ...rule, now }), ...entries),
    row: findInserted({ company_id, event_type, secret_enc }),
  });
  return row.first;
}

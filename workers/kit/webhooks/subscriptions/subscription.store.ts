import { and, eq, type SQL, sql } from "drizzle-orm";
import { type RuleRow, action_rules as r } from "../../../../db/kit/webhooks";
import type { Db } from "../../db/db";
import { integer, nullable } from "../../db/kind";
import { allColumns, filterUnlessNull, insertSelect, queryBuilder, selectRows } from "../../db/query";
import { type Bound, followedBy, statement } from "../../db/statement";
import { maxCount } from "../../http/paging/walk";

/** Maximum number of subscriptions per company. */
const MAX_RULES = 100;

/** Statement: a subscription of one company or, when null, of any company. */
export const findRule = statement({ id: nullable(r.id), company: nullable(r.company_id) }, (p) =>
  queryBuilder
    .select(allColumns(r))
    .from(r)
    .where(and(eq(r.id, p.id), filterUnlessNull(p.company, eq(r.company_id, p.company)))),
);

/**
 * Statement: returns a row when the company has an enabled subscription of an event type. Without one, an event causes
 * no webhook.
 */
export const findEnabledRule = statement({ company: r.company_id, type: r.event_type }, (p) =>
  queryBuilder
    .select({ id: r.id })
    .from(r)
    .where(and(eq(r.company_id, p.company), eq(r.event_type, p.type), eq(r.enabled, true)))
    .limit(1),
);

const filters = { company: r.company_id, event_type: nullable(r.event_type), enabled: nullable(r.enabled) };

// A company has at most 100 subscriptions, so every list is short.
const isMatch = (p: { [K in keyof typeof filters]: SQL }) =>
  and(
    eq(r.company_id, p.company),
    filterUnlessNull(p.event_type, eq(r.event_type, p.event_type)),
    filterUnlessNull(p.enabled, eq(r.enabled, p.enabled)),
  );

const position = { after_type: r.event_type, after_name: r.name, after_id: r.id };

const listRules = statement({ ...filters, ...position, limit: integer, offset: integer }, (p) =>
  queryBuilder
    .select(allColumns(r))
    .from(r)
    .where(
      and(isMatch(p), sql`(${r.event_type}, ${r.name}, ${r.id}) > (${p.after_type}, ${p.after_name}, ${p.after_id})`),
    )
    .orderBy(r.event_type, r.name, r.id)
    .limit(p.limit)
    .offset(p.offset),
);

const countRules = statement(filters, (p) =>
  selectRows(
    { count: sql`count(*)`.mapWith(integer) },
    (columns) => sql`select ${columns} from (select 1 from ${r} where ${isMatch(p)} limit ${maxCount})`,
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
  }: { event_type?: string | null | undefined; enabled?: boolean | null | undefined },
  page: { after: RulePosition | null; limit: number; offset: number },
) {
  const values = { company, event_type, enabled };
  const [after_type, after_name, after_id] = page.after ?? ["", "", 0];
  return {
    rows: listRules({ ...values, after_type, after_name, after_id, limit: page.limit + 1, offset: page.offset }),
    count: page.after ? null : countRules(values),
  };
}

const key = { company_id: r.company_id, event_type: r.event_type, secret_enc: r.secret_enc };

// The sealed secret is unique to a call, so a repeated batch finds its own row.
const isInserted = (p: { [K in keyof typeof key]: SQL }) =>
  and(eq(r.company_id, p.company_id), eq(r.event_type, p.event_type), eq(r.secret_enc, p.secret_enc));

const insert = statement(
  {
    ...key,
    name: r.name,
    description: r.description,
    enabled: r.enabled,
    url: r.url,
    host: r.host,
    secret_hint: r.secret_hint,
    authorization_enc: r.authorization_enc,
    allow_private_urls: r.allow_private_urls,
    now: integer,
  },
  ({ now, ...p }) =>
    insertSelect(
      r,
      { ...p, created_at: now, updated_at: now },
      sql`where (select count(*) from ${r} where ${r.company_id} = ${p.company_id}) < ${MAX_RULES}
        and not exists (select 1 from ${r} where ${isInserted(p)})`,
    ),
);

const findInserted = statement(key, (p) => queryBuilder.select(allColumns(r)).from(r).where(isInserted(p)));

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

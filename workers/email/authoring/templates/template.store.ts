import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { rules, template_versions, templates } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, assignments, filterUnlessNull, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const t = templates;
const v = template_versions;
const columns = allColumns(t);

/** Statement: the custom template with this id, unless it is deleted. */
export const findTemplate = statement({ id: t.id }, (p) =>
  queryBuilder
    .select(columns)
    .from(t)
    .where(and(eq(t.id, p.id), isNull(t.hidden_at))),
);

// Checks the tokens of the published version, or of the newest version when none is published.
const usesOnly = (tokens: SQL<readonly string[] | null>) => {
  const number = sql`coalesce(${t.active_version}, (select max(${v.number}) from ${v} where ${v.template_id} = ${t.id}))`;
  return sql`not exists (select 1 from ${v} cross join json_each(${v.uses}, '$.tokens') u
    where ${v.template_id} = ${t.id} and ${v.number} = ${number} and substr(u.value, 1, 7) <> 'system.'
      and u.value not in (select value from json_each(${tokens})))`;
};

/**
 * Statement: one page of the custom templates of a company, ordered by event, language and id. If `tokens` is not null, omits
 * templates that use other tokens.
 */
export const listTemplates = statement(
  {
    companyId: t.company_id,
    tokens: json<readonly string[] | null>(),
    eventType: t.event_type,
    language: t.language,
    afterId: t.id,
    limit: integer,
  },
  (p) =>
    selectRows(
      columns,
      (selected) => sql`select ${selected} from ${t} where ${t.company_id} = ${p.companyId} and ${t.kind} = 'event'
        and ${t.hidden_at} is null
        and (${t.event_type}, ${t.language}, ${t.id}) > (${p.eventType}, ${p.language}, ${p.afterId})
        and ${filterUnlessNull(p.tokens, usesOnly(p.tokens))}
        order by ${t.event_type}, ${t.language}, ${t.id} limit ${p.limit}`,
    ),
);

/** Statement: hide a custom template that no rule uses. A job deletes it later, when no waiting message needs it. */
export const hideTemplate = statement(
  { id: t.id, now: integer },
  (p) =>
    sql`update ${t} set ${assignments(t, { hidden_at: p.now })} where ${t.id} = ${p.id} and ${t.hidden_at} is null
    and not exists (select 1 from ${rules} where ${rules.template_id} = ${p.id})`,
);

import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { broadcasts, event_types, newsletters, rules, template_versions, templates } from "../../../../db/email/schema";
import { integer, json } from "../../../kit/db/kind";
import { allColumns, assignments, filterUnlessNull, isInList, queryBuilder, selectRows } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const columns = allColumns(templates);

/** Statement: the custom template with this id, unless it is deleted. */
export const findTemplate = statement({ id: templates.id }, (p) =>
  queryBuilder
    .select(columns)
    .from(templates)
    .where(and(eq(templates.id, p.id), isNull(templates.hidden_at))),
);

// Checks the tokens of the published version, or of the newest version when none is published. `isDeclared` is a condition on
// the token `u.value`.
const usesOnly = (isDeclared: SQL) => {
  const number = sql`coalesce(${templates.active_version}, (select max(${template_versions.number}) from ${template_versions} where ${template_versions.template_id} = ${templates.id}))`;
  return sql`not exists (select 1 from ${template_versions} cross join json_each(${template_versions.uses}, '$.tokens') u
    where ${template_versions.template_id} = ${templates.id} and ${template_versions.number} = ${number} and substr(u.value, 1, 7) <> 'system.'
      and not ${isDeclared})`;
};

const token = sql`u.value`;

const page = {
  companyId: templates.company_id,
  eventType: templates.event_type,
  language: templates.language,
  afterId: templates.id,
  limit: integer,
};

const selectPage = (p: { [K in keyof typeof page]: SQL }, condition: SQL) =>
  selectRows(
    columns,
    (
      selected,
    ) => sql`select ${selected} from ${templates} where ${templates.company_id} = ${p.companyId} and ${templates.kind} = 'event'
        and ${templates.hidden_at} is null
        and (${templates.event_type}, ${templates.language}, ${templates.id}) > (${p.eventType}, ${p.language}, ${p.afterId})
        and ${condition}
        order by ${templates.event_type}, ${templates.language}, ${templates.id} limit ${p.limit}`,
  );

/**
 * Statement: one page of the custom templates of a company, ordered by event, language and id. If `tokens` is not null, omits
 * templates that use other tokens.
 */
export const listTemplates = statement({ ...page, tokens: json<readonly string[] | null>() }, (p) =>
  selectPage(p, filterUnlessNull(p.tokens, usesOnly(isInList(token, p.tokens)))),
);

/** Statement: like listTemplates, for the variables of an own event type and `tokens`. */
export const listTemplatesOfOwnType = statement(
  { ...page, ownType: event_types.event_type, tokens: json<readonly string[]>() },
  (p) => {
    const variables = sql`${event_types} cross join json_each(${event_types.variables}) v`;
    const isOfType = sql`${event_types.company_id} = ${p.companyId} and ${event_types.event_type} = ${p.ownType}`;
    const declared = sql`(select v.value ->> 'token' from ${variables} where ${isOfType}
      union all select v.value ->> 'token' || '.' || (f.value ->> 'token') from ${variables} cross join json_each(v.value, '$.fields') f where ${isOfType})`;
    return selectPage(p, usesOnly(sql`(${isInList(token, p.tokens)} or ${token} in ${declared})`));
  },
);

/** Statement: hide a custom template that nothing uses. A job deletes it later, when no waiting message needs it. */
export const hideTemplate = statement(
  { id: templates.id, now: integer },
  (p) =>
    sql`update ${templates} set ${assignments(templates, { hidden_at: p.now })} where ${templates.id} = ${p.id} and ${templates.hidden_at} is null
    and not exists (select 1 from ${rules} where ${rules.template_id} = ${p.id})
    and not exists (select 1 from ${broadcasts} where ${broadcasts.template_id} = ${p.id})
    and not exists (select 1 from ${newsletters} where ${newsletters.confirmation_template_id} = ${p.id})`,
);

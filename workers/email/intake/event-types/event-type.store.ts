import { and, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import {
  default_contents,
  event_types,
  library_templates,
  messages,
  rules,
  templates,
} from "../../../../db/email/schema";
import { integer, json, nullable } from "../../../kit/db/kind";
import {
  allColumns,
  assignments,
  columnName,
  insertSelect,
  jsonEach,
  queryBuilder,
  selectRows,
} from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const columns = allColumns(event_types);
const { company_id, event_type, revision } = event_types;
const key = { companyId: company_id, eventType: event_type };

const isType = (p: { companyId: SQL<number>; eventType: SQL<string> }) =>
  and(eq(company_id, p.companyId), eq(event_type, p.eventType));

/** Statement: an event type of the company. */
export const findEventType = statement(key, (p) => queryBuilder.select(columns).from(event_types).where(isType(p)));

/** Statement: the event types of a company after a name, by name. */
export const listEventTypes = statement({ companyId: company_id, after: event_type, limit: integer }, (p) =>
  queryBuilder
    .select(columns)
    .from(event_types)
    .where(and(eq(company_id, p.companyId), gt(event_type, p.after)))
    .orderBy(event_type)
    .limit(p.limit),
);

const { id, key: designKey, set_key, company_id: designCompany, document } = library_templates;

/** Statement: a design by key that is built in or belongs to the company. */
export const findDesignByKey = statement({ key: designKey, companyId: integer }, (p) =>
  queryBuilder
    .select({ id, key: designKey, set_key, company_id: designCompany, document })
    .from(library_templates)
    .where(and(eq(designKey, p.key), or(isNull(designCompany), eq(designCompany, p.companyId)))),
);

/**
 * Statement: insert an event type if the company has fewer than `max` types and, unless `maxRules` is null, fewer than `maxRules`
 * rules. An existing type stays.
 */
export const insertEventType = statement(
  { ...columns, max: integer, maxRules: nullable(integer) },
  ({ max, maxRules, ...p }) =>
    insertSelect(
      event_types,
      p,
      sql`where (select count(*) from ${event_types} where ${company_id} = ${p.company_id}) < ${max}
        and (${maxRules} is null or (select count(*) from ${rules} where ${rules.company_id} = ${p.company_id}) < ${maxRules})
        on conflict do nothing`,
    ),
);

const { company_id: _company, event_type: _type, created_at: _created, ...changeable } = columns;

/** Statement: change an event type whose revision is still `expected`. */
export const updateEventType = statement({ ...key, ...changeable, expected: revision }, (p) => {
  const { companyId, eventType, expected, ...values } = p;
  return sql`update ${event_types} set ${assignments(event_types, values)}
    where ${isType({ companyId, eventType })} and ${revision} = ${expected}`;
});

/** The composed default content of an own event type in one language. */
export type OwnContent = Pick<
  typeof default_contents.$inferSelect,
  "checksum" | "event_type" | "language" | "subject" | "html" | "text"
>;

const contents = json<readonly OwnContent[]>();
const isStored = (p: { companyId: SQL<number>; eventType: SQL<string>; revision: SQL<string> }) =>
  sql`exists (select 1 from ${event_types} where ${isType(p)} and ${revision} = ${p.revision})`;
const ofRevision = { ...key, revision, contents };

// Each of these statements does nothing unless the change of the event type with this revision was stored.
const insertContents = statement({ ...ofRevision, now: integer }, (p) => {
  const { from, item } = jsonEach(p.contents);
  const { checksum, event_type: contentKey, language, subject, html, text } = item;
  return insertSelect(
    default_contents,
    { checksum, event_type: contentKey, language, subject, html, text, created_at: p.now, current: false },
    sql`from ${from} where ${isStored(p)} on conflict (checksum) do nothing`,
  );
});

const retireContents = statement({ ...ofRevision, now: integer }, (p) => {
  const { from, item } = jsonEach(p.contents);
  return sql`update ${default_contents} set ${assignments(default_contents, { current: false, retired_at: p.now })}
    where ${default_contents.checksum} in (select c.checksum from ${from} cross join ${default_contents} c
      on c.event_type = ${item.event_type} and c.language = ${item.language} and c.current = 1 where c.checksum <> ${item.checksum})
    and ${isStored(p)}`;
});

const markContents = statement(ofRevision, (p) => {
  const { from, item } = jsonEach(p.contents);
  return sql`update ${default_contents} set ${columnName(default_contents.current)} = 1, ${columnName(default_contents.retired_at)} = null
    where ${default_contents.checksum} in (select ${item.checksum} from ${from}) and ${isStored(p)}`;
});

/** Returns the statements that store the default contents of an event type and make them current. */
export const storeOwnContents = (
  type: { companyId: number; eventType: string; revision: string },
  composed: readonly OwnContent[],
  now: number,
) => [
  insertContents({ ...type, contents: composed, now }),
  retireContents({ ...type, contents: composed, now }),
  markContents({ ...type, contents: composed }),
];

const inUse = {
  rules: (p: { companyId: SQL<number>; eventType: SQL<string> }) =>
    sql`exists (select 1 from ${rules} where ${rules.company_id} = ${p.companyId} and ${rules.event_type} = ${p.eventType})`,
  templates: (p: { companyId: SQL<number>; eventType: SQL<string> }) =>
    sql`exists (select 1 from ${templates} where ${templates.company_id} = ${p.companyId} and ${templates.kind} = 'event'
      and ${templates.event_type} = ${p.eventType} and ${templates.hidden_at} is null)`,
  messages: (p: { companyId: SQL<number>; eventType: SQL<string> }) =>
    sql`exists (select 1 from ${messages} where ${messages.lane} = 'transactional' and ${messages.next_attempt_at} is not null
      and ${messages.company_id} = ${p.companyId} and ${messages.event_type} = ${p.eventType})`,
};

/** Statement: what uses an event type. Each value is 0 or 1. */
export const findUses = statement(key, (p) =>
  selectRows(
    {
      rules: inUse.rules(p).mapWith(integer),
      templates: inUse.templates(p).mapWith(integer),
      messages: inUse.messages(p).mapWith(integer),
    },
    (selected) => sql`select ${selected} from ${event_types} where ${isType(p)}`,
  ),
);

/** Statement: delete an event type that nothing uses. */
export const deleteEventType = statement(
  key,
  (p) => sql`delete from ${event_types} where ${isType(p)} and not ${inUse.rules(p)} and not ${inUse.templates(p)}
    and not ${inUse.messages(p)}`,
);

/** Statement: retire the default contents of an event type that was deleted. The purge deletes them. */
export const retireOwnContents = statement(
  { ...key, contentKey: default_contents.event_type, now: integer },
  (p) => sql`update ${default_contents} set ${assignments(default_contents, { current: false, retired_at: p.now })}
    where ${default_contents.event_type} = ${p.contentKey} and ${default_contents.current} = 1
      and not exists (select 1 from ${event_types} where ${isType(p)})`,
);

import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { messages, template_versions, templates } from "../../../../db/email/schema";
import { integer, nullable } from "../../../kit/db/kind";
import { allColumns, assignments, insertSelect, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const t = templates;
const v = template_versions;
const { number, state, subject, preheader, document, published_at } = v;
const publicColumns = { number, state, subject, preheader, document, published_at };
const version = { templateId: v.template_id, number };

const isVersion = (p: Record<keyof typeof version, SQL<number>>) =>
  and(eq(v.template_id, p.templateId), eq(number, p.number));

/** Statement: a version with all columns. */
export const findVersion = statement(version, (p) => queryBuilder.select(allColumns(v)).from(v).where(isVersion(p)));

// Statement: the version with the highest number that meets the condition.
const findNewestWhere = (condition = sql``) =>
  statement({ templateId: v.template_id }, (p) =>
    selectRows(
      { subject, preheader, document },
      (selected) => sql`select ${selected} from ${v} where ${v.template_id} = ${p.templateId} ${condition}
        order by ${number} desc limit 1`,
    ),
  );

/** Statement: the newest version of a custom template in any state. */
export const findNewest = findNewestWhere();

/** Statement: the newest draft of a custom template. */
export const findNewestDraft = findNewestWhere(sql`and ${state} = 'draft'`);

/** Statement: the number, subject and preheader of the newest version. */
export const findNewestTexts = statement({ templateId: v.template_id }, (p) =>
  selectRows(
    { number, subject, preheader },
    (selected) => sql`select ${selected} from ${v} where ${v.template_id} = ${p.templateId}
      order by ${number} desc limit 1`,
  ),
);

/** Statement: the next versions after a number, ascending, limited by `limit` and `maxBytes`. Always returns the first one. */
export const listVersions = statement({ ...version, limit: integer, maxBytes: integer }, (p) => {
  const size = sql`sum(octet_length(${document})) over (order by ${number})`;
  const page = sql`select ${number} as number, ${size} as bytes, row_number() over (order by ${number}) as place from ${v}
    where ${v.template_id} = ${p.templateId} and ${number} > ${p.number} order by ${number} limit ${p.limit}`;
  return selectRows(
    publicColumns,
    (selected) => sql`select ${selected} from (${page}) p cross join ${v}
      on ${v.template_id} = ${p.templateId} and ${number} = p.number
      where p.bytes <= ${p.maxBytes} or p.place = 1 order by ${number}`,
  );
});

/** Statement: the number of a version by its id. */
export const findNumber = statement({ id: v.id }, (p) => queryBuilder.select({ number }).from(v).where(eq(v.id, p.id)));

/** Statement: insert a draft with the next number if the template has fewer than `max` versions. A repeat inserts nothing. */
export const insertDraft = statement(
  {
    id: v.id,
    subject,
    preheader,
    document,
    html: v.html,
    text: v.text,
    renderer_version: v.renderer_version,
    checksum: v.checksum,
    uses: v.uses,
    templateId: t.id,
    createdBy: nullable(integer),
    now: integer,
    max: integer,
  },
  ({ templateId, createdBy, now, max, ...composed }) => {
    const versionsOfTemplate = sql`from ${v} where ${v.template_id} = ${templateId}`;
    return insertSelect(
      v,
      {
        ...composed,
        template_id: t.id,
        number: sql`(select coalesce(max(${number}), 0) + 1 ${versionsOfTemplate})`,
        state: "draft",
        created_by: createdBy,
        published_at: null,
        created_at: now,
      },
      sql`from ${t} where ${t.id} = ${templateId} and ${t.hidden_at} is null and (select count(*) ${versionsOfTemplate}) < ${max}
        and not exists (select 1 from ${v} where ${v.id} = ${composed.id})`,
    );
  },
);

const o = alias(template_versions, "o");

// Selects the versions of waiting messages by scanning these messages. SQLite evaluates it only for versions
// that are not drafts, because a draft was never sent.
const versionsOfWaitingMessages = sql`select ${messages.version_id} from ${messages} where ${messages.lane} in ('auth', 'transactional', 'bulk')
  and ${messages.next_attempt_at} is not null and ${messages.version_id} is not null`;

/**
 * Statement: when a template has `max` versions, delete the oldest one to make room for the draft `id`. A version may be
 * deleted if it is a draft, or if it was replaced before `replacedBefore` and no waiting message uses it. `replacedBefore` is
 * far enough in the past that every request that read the version has stored its message.
 */
export const deleteOldestVersion = statement(
  { id: v.id, templateId: t.id, max: integer, replacedBefore: integer },
  (p) => {
    const isReplaced = sql`exists (select 1 from ${v} where ${v.template_id} = ${t.id} and ${number} = ${t.active_version}
    and ${published_at} < ${p.replacedBefore})`;
    return sql`delete from ${v} where ${v.id} = (select ${o.id} from ${t} cross join ${tableReference(o)} on ${o.template_id} = ${t.id}
    where ${t.id} = ${p.templateId} and ${t.hidden_at} is null and not exists (select 1 from ${v} where ${v.id} = ${p.id})
      and (select count(*) from ${v} where ${v.template_id} = ${p.templateId}) >= ${p.max}
      and ${o.number} is not ${t.active_version}
      and (${o.state} = 'draft' or (${isReplaced} and ${o.id} not in (${versionsOfWaitingMessages})))
    order by ${o.number} limit 1)`;
  },
);

/** Statement: set the source design of a template if the version was stored. */
export const setSourceDesign = statement(
  { templateId: t.id, versionId: v.id, source_key: t.source_key, set_key: t.set_key },
  (p) => sql`update ${t} set ${assignments(t, { source_key: p.source_key, set_key: p.set_key })}
    where ${t.id} = ${p.templateId} and exists (select 1 from ${v} where ${v.id} = ${p.versionId})`,
);

/** Statement: set the active version unless the version or its template was deleted. Run it before `publish` and `archive`. */
export const activate = statement(
  version,
  (p) => sql`update ${t} set ${assignments(t, { active_version: p.number })}
    where ${t.id} = ${p.templateId} and ${t.hidden_at} is null and exists (select 1 from ${v} where ${isVersion(p)})`,
);

const isActivated = sql`exists (select 1 from ${t} where ${t.id} = ${v.template_id} and ${t.active_version} = ${number})`;

/** Statement: mark the activated version as published. */
export const publish = statement(
  { ...version, now: integer },
  (p) => sql`update ${v} set ${assignments(v, { state: "published", published_at: p.now })}
    where ${isVersion(p)} and ${isActivated}`,
);

/** Statement: archive every published version except the active one. */
export const archive = statement(
  { templateId: v.template_id },
  (p) => sql`update ${v} set ${assignments(v, { state: "archived" })}
    where ${v.template_id} = ${p.templateId} and ${state} = 'published' and not ${isActivated}`,
);

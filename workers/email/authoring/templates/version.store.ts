import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { messages, template_versions, templates } from "../../../../db/email/schema";
import { integer, nullable } from "../../../kit/db/kind";
import { allColumns, assign, insertSelect, queryBuilder, selectRows, tableReference } from "../../../kit/db/query";
import { statement } from "../../../kit/db/statement";

const t = templates;
const v = template_versions;
const { number, state, subject, preheader, document, published_at } = v;
const publicColumns = { number, state, subject, preheader, document, published_at };
const version = { templateId: v.template_id, number };

const isVersion = (p: Record<keyof typeof version, SQL<number>>) =>
  and(eq(v.template_id, p.templateId), eq(number, p.number));

/** A version of a copy with all of it. */
export const findVersion = statement(version, (p) => queryBuilder.select(allColumns(v)).from(v).where(isVersion(p)));

// The highest number, of the drafts alone where only those are asked for.
const newest = (terms = sql``) =>
  statement({ templateId: v.template_id }, (p) =>
    selectRows(
      { subject, preheader, document },
      (selected) => sql`select ${selected} from ${v} where ${v.template_id} = ${p.templateId} ${terms}
        order by ${number} desc limit 1`,
    ),
  );

/** The newest version of a copy, whatever its state. */
export const findNewest = newest();

/** The newest draft of a copy. */
export const findNewestDraft = newest(sql`and ${state} = 'draft'`);

/** Number, subject and preheader of the newest version. */
export const findNewestTexts = statement({ templateId: v.template_id }, (p) =>
  selectRows(
    { number, subject, preheader },
    (selected) => sql`select ${selected} from ${v} where ${v.template_id} = ${p.templateId}
      order by ${number} desc limit 1`,
  ),
);

/** Versions behind a number, ascending, at most `limit` and, but for the first, `maxBytes` of documents. */
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

/** The number of a version by its id. */
export const findNumber = statement({ id: v.id }, (p) => queryBuilder.select({ number }).from(v).where(eq(v.id, p.id)));

/** Stores a draft with the next number of its copy, unless that has `max` versions; a repeat adds nothing. */
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

// What a message waits for, by the walk of those that wait; a draft was never sent, so that none is walked for it.
const waitedFor = sql`select ${messages.version_id} from ${messages} where ${messages.lane} in ('auth', 'transactional', 'bulk')
  and ${messages.next_attempt_at} is not null and ${messages.version_id} is not null`;

/**
 * Deletes the oldest version that makes room for the draft `id`, of a copy that has `max`: a draft, or one that was
 * replaced before a time (a send that has read it may not be stored yet) and that no message waits for.
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
      and (${o.state} = 'draft' or (${isReplaced} and ${o.id} not in (${waitedFor})))
    order by ${o.number} limit 1)`;
  },
);

/** The design that a copy comes from since this version. */
export const startOver = statement(
  { templateId: t.id, versionId: v.id, source_key: t.source_key, set_key: t.set_key },
  (p) => sql`update ${t} set ${assign(t, { source_key: p.source_key, set_key: p.set_key })}
    where ${t.id} = ${p.templateId} and exists (select 1 from ${v} where ${v.id} = ${p.versionId})`,
);

/** Makes a version the one that is sent, where neither it nor its copy was deleted; before the states follow. */
export const activate = statement(
  version,
  (p) => sql`update ${t} set ${assign(t, { active_version: p.number })}
    where ${t.id} = ${p.templateId} and ${t.hidden_at} is null and exists (select 1 from ${v} where ${isVersion(p)})`,
);

const isActivated = sql`exists (select 1 from ${t} where ${t.id} = ${v.template_id} and ${t.active_version} = ${number})`;

/** The state of a version that was made the one that is sent. */
export const publish = statement(
  { ...version, now: integer },
  (p) => sql`update ${v} set ${assign(v, { state: "published", published_at: p.now })}
    where ${isVersion(p)} and ${isActivated}`,
);

/** The state of those that were published before. */
export const archive = statement(
  { templateId: v.template_id },
  (p) => sql`update ${v} set ${assign(v, { state: "archived" })}
    where ${v.template_id} = ${p.templateId} and ${state} = 'published' and not ${isActivated}`,
);
